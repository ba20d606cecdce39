-- Gives each service's role its password from the environment of psql (14 or newer). `<role>_2:<password>` is one of its
-- second login; a login whose password is not in the list has none. Run after roles.sql:
--   psql "$ADMIN_DATABASE_URL" -v ON_ERROR_STOP=1 -f deploy/postgres/passwords.sql
-- Ends with an error when a variable is missing.
\getenv order_core ORDER_CORE_DATABASE_PASSWORD
\getenv catalog CATALOG_DATABASE_PASSWORD
\getenv webhook_worker WEBHOOK_WORKER_DATABASE_PASSWORD
WITH given (role_name, passwords) AS (
  VALUES
    ('offizin_order_core', string_to_array(:'order_core', ',')),
    ('offizin_catalog', string_to_array(:'catalog', ',')),
    ('offizin_webhook_worker', string_to_array(:'webhook_worker', ','))
), logins AS (
  SELECT role_name AS login, (SELECT p FROM unnest(passwords) p WHERE p NOT LIKE '%:%') AS password FROM given
  UNION ALL
  SELECT role_name || '_2', (SELECT split_part(p, ':', 2) FROM unnest(passwords) p WHERE p LIKE role_name || '\_2:%') FROM given
)
SELECT format('ALTER ROLE %I PASSWORD %L', login, password) FROM logins \gexec
