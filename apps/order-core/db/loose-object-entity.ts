import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An object of the document store that no document names: not yet, while it is uploaded, or no longer. */
@Entity('loose_objects')
@Index('loose_objects_due', ['due_at'])
@Index('loose_objects_document', ['document_id'], { unique: true })
export class LooseObjectEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'loose_objects_pkey' }) name!: string;
  /** The document that is being uploaded; null: the object is to be deleted. */
  @Column('uuid', { nullable: true }) document_id!: string | null;
  /** Rises with each lease: only its latest holder may name the object. */
  @Column('integer', { default: 0 }) attempts!: number;
  /** Work on it moves this time ahead, so it also serves as lease. */
  @Column('timestamptz', { default: () => 'now()' }) due_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}
