import { stringify } from 'yaml';
import { openApiDocument } from './document';

/** The description as text; without a base URL these are the bytes of docs/openapi/external-api.yaml. */
export function openApiYaml(options: { baseUrl?: string } = {}): string {
  return stringify(openApiDocument(options), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    singleQuote: true,
  });
}
