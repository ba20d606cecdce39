import { stringify } from 'yaml';
import { openApiDocument } from './document';

/** The description as YAML; without a base URL it equals docs/openapi/external-api.yaml. */
export function openApiYaml(options: { baseUrl?: string } = {}): string {
  return stringify(openApiDocument(options), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    singleQuote: true,
  });
}
