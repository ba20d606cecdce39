import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A note for staff at an order, or the mark of a piece of work such as a printed slip. */
@Entity('order_notes')
@Index('order_notes_order', ['order_id', 'id'])
export class OrderNoteEntity {
  /** Rises with time, so that it orders the rows. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'order_notes_pkey' }) id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') order_id!: string;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  /** The actor as in the audit log. */
  @Column('text') actor!: string;
  @Column('text') kind!: string;
  /** Null for a mark, and after an erasure. */
  @Column('bytea', { nullable: true }) text_ciphertext!: Buffer | null;
}
