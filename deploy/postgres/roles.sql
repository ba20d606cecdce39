-- One role and one schema per service, and a second login that acts as that role: a change of passwords needs both. Run it
-- in the database of Offizin as an administrator:
--   psql "$ADMIN_DATABASE_URL" --single-transaction -f deploy/postgres/roles.sql
-- then give each role its password: passwords.sql. The second login has none until then.
-- It may be run again at any time. Each role owns its schema and has no right on another's, so a service cannot
-- read another's tables even by mistake.

DO $$
DECLARE
  pair record;
  login text;
BEGIN
  FOR pair IN
    SELECT * FROM (VALUES
      ('offizin_order_core',     'core'),
      ('offizin_catalog',        'catalog'),
      ('offizin_webhook_worker', 'webhooks')
    ) AS pairs (role_name, schema_name)
  LOOP
    FOREACH login IN ARRAY ARRAY[pair.role_name, pair.role_name || '_2'] LOOP
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login) THEN
        EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION', login);
      END IF;
      EXECUTE format(
        'ALTER ROLE %I IN DATABASE %I SET search_path = %I, public', login, current_database(), pair.schema_name);
      EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), login);
    END LOOP;
    EXECUTE format('GRANT %I TO %I', pair.role_name, pair.role_name || '_2');
    EXECUTE format(
      'ALTER ROLE %I IN DATABASE %I SET role = %I', pair.role_name || '_2', current_database(), pair.role_name);

    -- An administrator who is not a superuser (managed servers) must be a member to give a schema to the role.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
       AND NOT pg_has_role(current_user, pair.role_name, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', pair.role_name);
    END IF;

    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', pair.schema_name, pair.role_name);
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', pair.schema_name);
  END LOOP;

  EXECUTE format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());

  -- An erasure waits for transactions that began before it, those of the other login, too.
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
     OR pg_has_role(current_user, 'pg_read_all_stats', 'MEMBER WITH ADMIN OPTION') THEN
    GRANT pg_read_all_stats TO offizin_order_core;
  ELSE
    RAISE WARNING 'before offizin_order_core_2 is used: GRANT pg_read_all_stats TO offizin_order_core';
  END IF;
END
$$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
