import { stringify } from 'yaml';
import { consoleApiDocument } from './console-document';
import { openApiDocument } from './document';
import type { JsonObject } from './schemas';

/** The description as YAML; without a base URL it equals docs/openapi/external-api.yaml. */
export function openApiYaml(options: { baseUrl?: string } = {}): string {
  return asYaml(openApiDocument(options));
}

/** The description of the console's door: docs/openapi/console-api.yaml. */
export function consoleApiYaml(): string {
  return asYaml(consoleApiDocument());
}

function asYaml(document: JsonObject): string {
  return stringify(document, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    singleQuote: true,
  });
}
