import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid } from '@offizin/contracts/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { listOrganizations, type OrganizationsResponse } from '@offizin/contracts/organizations';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { listOrganizationsAfter } from './organizations.store';

/** The organizations of the platform, for the operator. */
@Controller()
export class OrganizationsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(listOrganizations)
  async list({ body }: Call<typeof listOrganizations>): Promise<Answer<OrganizationsResponse>> {
    const { org_id: id, after } = body;
    if (after !== undefined && !isId(after)) throw invalid([{ field: 'after', message: 'must be an id' }]);
    if (id !== undefined && !isId(id)) return ok({ data: [], next: null });
    return ok(await listOrganizationsAfter(this.database, body));
  }
}
