import { Controller } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Handles } from '@offizin/bus/handles';
import { invalid } from '@offizin/contracts/errors';
import { type EventIds, unknownEvents } from '@offizin/contracts/unknown-events';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { Database } from '@offizin/pg/database';
import { unknownEventIds } from './inbox.store';

const unknownToCatalog = unknownEvents('catalog');

@Controller()
export class OrderEventsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(unknownToCatalog)
  async unknown({ body }: Call<typeof unknownToCatalog>): Promise<Answer<EventIds>> {
    const wrong = body.ids.findIndex((id) => !isUuid(id));
    if (wrong !== -1) throw invalid([{ field: `ids[${wrong}]`, message: 'must be a UUID' }]);
    return ok({ ids: await unknownEventIds(this.database, body.ids) });
  }
}
