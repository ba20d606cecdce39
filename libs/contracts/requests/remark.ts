import { Int, Text } from '../calls/fields';
import { Described } from '../calls/schema';

@Described('A field of the partner that a person must read, such as allergies or a comment')
export class Remark {
  @Text({ description: 'As the partner named it' }) field!: string;
  @Int({ minimum: 1, nullable: true, description: 'Of this line; null: of the whole request' }) line!:
    number | null;
  @Text({ maxLength: 1_000_000 }) text!: string;
}
