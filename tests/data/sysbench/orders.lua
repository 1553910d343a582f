#!/usr/bin/env sysbench
-- Orders in warehouses, written as scripts for TPC-C are: several files, transactions by their names, a retry of
-- the script's own, a command of its own, and orders that are rolled back on purpose.
require("orders_common")
require("orders_run")

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   set_isolation_level(drv, con)
   stmts, params = {}, {}
   for t = 1, sysbench.opt.tables do
      stmts[t] = con:prepare(string.format("UPDATE district%d SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?", t))
      params[t] = {
         stmts[t]:bind_create(sysbench.sql.type.INT),
         stmts[t]:bind_create(sysbench.sql.type.INT),
         stmts[t]:bind_create(sysbench.sql.type.INT)
      }
      stmts[t]:bind_param(unpack(params[t]))
   end
end

function event()
   local kind = sysbench.rand.uniform(1, 23)
   if kind <= 10 then
      trx = "new_order"
   elseif kind <= 20 then
      trx = "payment"
   else
      trx = "order_status"
   end
   while not pcall(function () _G[trx]() end) do
      con:query("ROLLBACK")
   end
end

function thread_done()
   con:disconnect()
end

function sysbench.hooks.before_restart_event(err)
   con:query("ROLLBACK")
end

function sysbench.hooks.report_intermediate(stat)
   if sysbench.opt.report_csv == "yes" then
      sysbench.report_csv(stat)
   else
      sysbench.report_default(stat)
   end
end
