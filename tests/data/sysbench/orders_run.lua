require("orders_common")

function place()
   return sysbench.rand.uniform(1, sysbench.opt.tables), sysbench.rand.uniform(1, sysbench.opt.scale),
      sysbench.rand.uniform(1, DISTRICTS)
end

function new_order()
   local t, w, d = place()
   local ol_cnt = sysbench.rand.uniform(2, 4)
   local rbk = sysbench.rand.uniform(1, 5)
   con:query("BEGIN")
   local next_o_id = con:query_row(([[SELECT d_next_o_id FROM district%d
                                      WHERE d_w_id = %d AND d_id = %d FOR UPDATE]]):format(t, w, d))
   next_o_id = tonumber(next_o_id)
   con:query(([[UPDATE district%d SET d_next_o_id = %d WHERE d_w_id = %d AND d_id = %d]]):format(t, next_o_id + 1, w, d))
   con:query(([[INSERT INTO orders%d (o_w_id, o_d_id, o_id, o_ol_cnt, o_carrier_id)
                VALUES (%d, %d, %d, %d, NULL)]]):format(t, w, d, next_o_id, ol_cnt))
   for line = 1, ol_cnt do
      if line == ol_cnt and rbk == 1 then
         ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_ERROR)
         con:query("ROLLBACK")
         return
      end
      local rs = con:query(([[SELECT s_quantity, s_data FROM stock%d
                              WHERE s_w_id = %d AND s_i_id = %d FOR UPDATE]]):format(t, w, sysbench.rand.uniform(1, ITEMS)))
      local s_quantity, s_data = unpack(rs:fetch_row(), 1, rs.nfields)
      if #s_data < 26 then
         error("the item has no data")
      end
      s_quantity = tonumber(s_quantity)
      s_quantity = s_quantity > 20 and s_quantity - 10 or s_quantity + 81
      con:query(("UPDATE stock%d SET s_quantity = %d WHERE s_w_id = %d AND s_i_id = %d"):format(t, s_quantity, w, line))
   end
   con:query("COMMIT")
end

function payment()
   local t, w, d = place()
   con:query("BEGIN")
   params[t][1]:set(sysbench.rand.uniform(1, 5000))
   params[t][2]:set(w)
   params[t][3]:set(d)
   stmts[t]:execute()
   con:query("COMMIT")
end

function order_status()
   local t, w, d = place()
   local rs = con:query(([[SELECT o_id, o_carrier_id, o_ol_cnt FROM orders%d
                           WHERE o_w_id = %d AND o_d_id = %d ORDER BY o_id DESC LIMIT 1]]):format(t, w, d))
   if rs.nrows > 0 then
      local o_id, o_carrier_id, o_ol_cnt = unpack(rs:fetch_row(), 1, rs.nfields)
      if o_carrier_id ~= nil or tonumber(o_ol_cnt) < 2 then
         error("an order is not as it was written")
      end
   end
end
