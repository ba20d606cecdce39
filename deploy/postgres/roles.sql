-- One role and one schema per service. Run it in the database of Offizin as an administrator:
--   psql "$ADMIN_DATABASE_URL" --single-transaction -f deploy/postgres/roles.sql
-- then give each role its password: ALTER ROLE offizin_order_core PASSWORD '…';
-- It may be run again at any time. Each role owns its schema and has no right on another's, so a service cannot
-- read another's tables even by mistake.

DO $$
DECLARE
  pair record;
BEGIN
  FOR pair IN
    SELECT * FROM (VALUES
      ('offizin_order_core',     'core'),
      ('offizin_catalog',        'catalog'),
      ('offizin_webhook_worker', 'webhooks')
    ) AS pairs (role_name, schema_name)
  LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = pair.role_name) THEN
      EXECUTE format(
        'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION', pair.role_name);
    END IF;

    -- An administrator who is not a superuser (managed servers) must be a member to give a schema to the role.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
       AND NOT pg_has_role(current_user, pair.role_name, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', pair.role_name);
    END IF;

    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', pair.schema_name, pair.role_name);
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', pair.schema_name);
    EXECUTE format(
      'ALTER ROLE %I IN DATABASE %I SET search_path = %I, public', pair.role_name, current_database(), pair.schema_name);
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), pair.role_name);
  END LOOP;

  EXECUTE format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
