ffi = require("ffi")

ffi.cdef[[
void sb_counter_inc(int, sb_counter_type);
]]

sysbench.cmdline.options = {
   scale = {"Warehouses", 2},
   tables = {"Sets of tables", 1},
   trx_level = {"Transaction isolation level (RC or RR)", "RR"},
   report_csv = {"Report stats as CSV (yes or no)", "no"},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"}
}

DISTRICTS = 3
ITEMS = 50

function sleep(n)
   os.execute("sleep " .. tonumber(n))
end

function set_isolation_level(drv, con)
   local level = "REPEATABLE READ"
   if sysbench.opt.trx_level == "RC" then
      level = "READ COMMITTED"
   end
   if drv:name() == "mysql" then
      con:query("SET SESSION TRANSACTION ISOLATION LEVEL " .. level)
   end
end

function create_tables(drv, con, t)
   local engine_def = ""
   if drv:name() == "mysql" then
      engine_def = "/*! ENGINE = " .. sysbench.opt.mysql_storage_engine .. " */"
   end
   con:query(string.format([[CREATE TABLE IF NOT EXISTS district%d (
      d_w_id INT NOT NULL, d_id INT NOT NULL, d_next_o_id INT NOT NULL, d_ytd DECIMAL(12,2) NOT NULL,
      PRIMARY KEY (d_w_id, d_id)) %s]], t, engine_def))
   con:query(string.format([[CREATE TABLE IF NOT EXISTS stock%d (
      s_w_id INT NOT NULL, s_i_id INT NOT NULL, s_quantity INT, s_data VARCHAR(50),
      PRIMARY KEY (s_w_id, s_i_id)) %s]], t, engine_def))
   con:query(string.format([[CREATE TABLE IF NOT EXISTS orders%d (
      o_w_id INT NOT NULL, o_d_id INT NOT NULL, o_id INT NOT NULL, o_ol_cnt INT, o_carrier_id INT,
      PRIMARY KEY (o_w_id, o_d_id, o_id)) %s]], t, engine_def))
end

function load_tables(drv, con, warehouse)
   for t = 1, sysbench.opt.tables do
      con:bulk_insert_init(string.format("INSERT INTO district%d (d_w_id, d_id, d_next_o_id, d_ytd) VALUES", t))
      for d = 1, DISTRICTS do
         con:bulk_insert_next(string.format("(%d, %d, 1, 0.0)", warehouse, d))
      end
      con:bulk_insert_done()
      con:bulk_insert_init(string.format("INSERT INTO stock%d (s_w_id, s_i_id, s_quantity, s_data) VALUES", t))
      for i = 1, ITEMS do
         con:bulk_insert_next(string.format("(%d, %d, %d, '%s')", warehouse, i, sysbench.rand.uniform(10, 100),
                                            sysbench.rand.string(string.rep("@", sysbench.rand.uniform(26, 50)))))
      end
      con:bulk_insert_done()
   end
end

function cmd_prepare()
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   for i = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      create_tables(drv, con, i)
   end
   print("Waiting for the tables\n")
   sleep(30)
   for i = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.scale, sysbench.opt.threads do
      load_tables(drv, con, i)
   end
end

function cmd_check()
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   for t = 1, sysbench.opt.tables do
      local rs = con:query(string.format("SELECT d_w_id, d_id, d_next_o_id - 1 FROM district%d", t))
      for i = 1, rs.nrows do
         local w, d, last = unpack(rs:fetch_row(), 1, rs.nfields)
         local n = con:query_row(string.format("SELECT COUNT(*) FROM orders%d WHERE o_w_id = %d AND o_d_id = %d", t, w, d))
         if tonumber(n) ~= tonumber(last) then
            error(string.format("district %d of warehouse %d: %d orders, and the last one is %d", d, w, n, last))
         end
      end
   end
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   for t = 1, sysbench.opt.tables do
      con:query("DROP TABLE IF EXISTS district" .. t .. ", stock" .. t .. ", orders" .. t)
   end
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   check = {cmd_check, sysbench.cmdline.PARALLEL_COMMAND}
}
