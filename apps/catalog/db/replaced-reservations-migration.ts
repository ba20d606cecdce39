import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SCHEMA } from './schema';

/** An order whose lines change claims stock anew; the claim takes the place of the reservation before it. */
export class ReplacedReservations1763743000000 implements MigrationInterface {
  readonly name = 'ReplacedReservations1763743000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${SCHEMA}.reservations ADD COLUMN replaces uuid,
      DROP CONSTRAINT reservations_state, ADD CONSTRAINT reservations_state
        CHECK (state IN ('held', 'confirmed', 'released', 'sold', 'replaced'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE ${SCHEMA}.reservations SET state = 'released' WHERE state = 'replaced'`);
    await runner.query(`ALTER TABLE ${SCHEMA}.reservations DROP COLUMN replaces,
      DROP CONSTRAINT reservations_state, ADD CONSTRAINT reservations_state
        CHECK (state IN ('held', 'confirmed', 'released', 'sold'))`);
  }
}
