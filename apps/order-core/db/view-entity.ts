import type { ViewQuery, ViewScreen } from '@offizin/contracts/views';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Filter, sort and columns of one list of the console, under a name. */
@Entity('saved_views')
@Index('saved_views_own', { synchronize: false })
@Index('saved_views_shared', { synchronize: false })
export class SavedViewEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'saved_views_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  /** Whose it is; null: shared with the organization. */
  @Column('uuid', { nullable: true }) staff_id!: string | null;
  @Column('text') screen!: ViewScreen;
  /** Unique per screen without regard to case (umlauts, too), among the views of the person or the shared ones. */
  @Column('text') name!: string;
  @Column('jsonb') query!: ViewQuery;
  /** Empty: the usual ones. */
  @Column('text', { array: true }) columns!: string[];
  /** Rises by one with every change: ETag. */
  @Column('integer', { default: 1 }) version!: number;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
}
