-- Fails when the restored database is not whole: a schema without its migrations, no order, or nothing of the last days.
DO $$
DECLARE
  orders bigint;
  newest timestamptz;
BEGIN
  PERFORM FROM core.migrations, catalog.migrations, webhooks.migrations;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a schema has no migrations';
  END IF;
  SELECT count(*) INTO orders FROM core.orders;
  IF orders = 0 THEN
    RAISE EXCEPTION 'no orders';
  END IF;
  SELECT max(at) INTO newest FROM core.audit_log;
  RAISE NOTICE '% orders, the newest change of %', orders, newest;
  -- Longer than a weekend without a person at work. The age shows how much a lost database would cost.
  IF newest IS NULL OR newest < now() - interval '4 days' THEN
    RAISE EXCEPTION 'no change of the last 4 days';
  END IF;
END $$;
