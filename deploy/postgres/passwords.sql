-- Gives each service's role its password from the environment of psql (14 or newer). Run after roles.sql:
--   psql "$ADMIN_DATABASE_URL" -v ON_ERROR_STOP=1 -f deploy/postgres/passwords.sql
-- Ends with an error when a variable is missing.
\getenv order_core ORDER_CORE_DATABASE_PASSWORD
\getenv catalog CATALOG_DATABASE_PASSWORD
\getenv webhook_worker WEBHOOK_WORKER_DATABASE_PASSWORD
ALTER ROLE offizin_order_core PASSWORD :'order_core';
ALTER ROLE offizin_catalog PASSWORD :'catalog';
ALTER ROLE offizin_webhook_worker PASSWORD :'webhook_worker';
