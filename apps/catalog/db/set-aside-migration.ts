import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createSetAsideSql } from '@offizin/events/set-aside';

/** The table of messages and outbox rows that this service could not take or send. */
export class SetAside1763820000000 implements MigrationInterface {
  readonly name = 'SetAside1763820000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of createSetAsideSql('catalog')) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE catalog.set_aside');
  }
}
