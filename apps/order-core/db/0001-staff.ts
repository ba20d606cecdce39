export const STAFF = [
  `CREATE TABLE core.staff (
    id uuid CONSTRAINT staff_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    email text NOT NULL CONSTRAINT staff_email UNIQUE CONSTRAINT staff_email_lower CHECK (email = lower(email)),
    name text NOT NULL,
    role text NOT NULL,
    password_hash text,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz,
    language text NOT NULL DEFAULT 'de',
    time_zone text NOT NULL DEFAULT 'Europe/Berlin',
    theme text NOT NULL DEFAULT 'system',
    undo_seconds integer NOT NULL DEFAULT 5,
    single_keys text NOT NULL DEFAULT 'on'
  )`,
  `CREATE TABLE core.staff_sessions (
    id uuid CONSTRAINT staff_sessions_pkey PRIMARY KEY,
    staff_id uuid NOT NULL,
    org_id uuid NOT NULL,
    hash text NOT NULL CONSTRAINT staff_sessions_hash UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    confirmed_at timestamptz NOT NULL DEFAULT now(),
    ends_at timestamptz NOT NULL,
    idle_seconds integer NOT NULL,
    ended_at timestamptz
  )`,
  `CREATE TABLE core.staff_links (
    staff_id uuid CONSTRAINT staff_links_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    kind text NOT NULL,
    hash text NOT NULL CONSTRAINT staff_links_hash UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  // Also of e-mails that nobody has: otherwise a lock would tell which ones exist.
  `CREATE TABLE core.staff_lockouts (
    email_hash text CONSTRAINT staff_lockouts_pkey PRIMARY KEY,
    failures integer NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT now(),
    locked_until timestamptz
  )`,
  // The one definition of a live session. A function, because statements on orders are faster to plan without the joins.
  `CREATE FUNCTION core.session_is_live(session_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
      SELECT FROM core.staff_sessions s
        JOIN core.staff p ON p.id = s.staff_id AND p.is_active
        JOIN core.organizations g ON g.id = s.org_id AND g.is_active
      WHERE s.id = session_id AND s.ended_at IS NULL AND s.ends_at > now()
        AND s.last_used_at > now() - make_interval(secs => s.idle_seconds))
  $$`,

  `CREATE INDEX staff_org ON core.staff (org_id)`,
  `CREATE INDEX staff_sessions_staff ON core.staff_sessions (staff_id)`,
];
