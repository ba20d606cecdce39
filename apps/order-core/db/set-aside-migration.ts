import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createSetAsideSql } from '@offizin/events/set-aside';

/** The table of messages and outbox rows that this service could not take or send. */
export class SetAside1763820000000 implements MigrationInterface {
  readonly name = 'SetAside1763820000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of createSetAsideSql('core')) await runner.query(sql);
    await runner.query(COPY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE core.set_aside');
  }
}

/** The version before writes into the old table while it runs beside this one; the table stays until nothing does. */
const COPY = `INSERT INTO core.set_aside (id, kind, subject, event_id, reason, content, set_aside_at)
  SELECT id, 'message', 'audit',
    CASE WHEN id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN id::uuid END, reason,
    convert_to(content, 'UTF8'), received_at
  FROM core.unreadable_audit_records`;
