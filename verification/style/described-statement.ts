import type { Client, Connection, FieldDef, Submittable } from 'pg';

/** What PostgreSQL says of a statement that it has parsed. */
export interface Described {
  /** Numbers of types (pg_type.oid). */
  params: readonly number[];
  fields: readonly Pick<FieldDef, 'name' | 'dataTypeID' | 'tableID' | 'columnID'>[];
}

/** Parses a statement without running it. Throws what the server refuses. */
export function described(client: Client, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    client.query(new Description(text, (error, result) => (error ? reject(error) : resolve(result))));
  });
}

type Done = (error: Error | null, result: Described) => void;

/** A question of the wire protocol that node-postgres has no function for: Parse, Describe, Sync. */
class Description implements Submittable {
  private params: readonly number[] = [];
  private fields: Described['fields'] = [];
  private error: Error | null = null;
  private readonly takeParams = ({ dataTypeIDs }: { dataTypeIDs: number[] }): void => {
    this.params = dataTypeIDs;
  };
  private connection: Connection | null = null;

  constructor(
    private readonly text: string,
    private readonly done: Done,
  ) {}

  submit(connection: Connection): void {
    this.connection = connection;
    connection.on('parameterDescription', this.takeParams);
    connection.parse({ name: '', text: this.text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Described['fields'] }): void {
    this.fields = fields;
  }

  handleError(error: Error): void {
    this.error = error;
  }

  handleReadyForQuery(): void {
    this.connection?.off('parameterDescription', this.takeParams);
    this.done(this.error, { params: this.params, fields: this.fields });
  }
}
