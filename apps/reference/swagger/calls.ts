import './swagger-ui.css';
import SwaggerUI, { type OutgoingRequest, type System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { ComponentType } from 'react';
import type { Description } from '@offizin/openapi/samples/described-call';
import type { Access } from '../access/access';
import { addressOfCalls } from '../route';
import { describedPart, filledInBody, filledInDescription } from './filled-in';
import { samplesPanel } from './samples-panel';

export interface Calls {
  /** Shows the calls of a noun, and opens one of them. */
  show: (noun: string, operationId: string | undefined) => void;
}

/** Starts Swagger UI; it gets the description of a noun when that is shown. */
export async function startCalls(
  place: HTMLElement,
  description: Description,
  access: Access,
): Promise<Calls> {
  let shown = '';
  const part = (): object => filledInDescription(describedPart(description, shown), access);
  const system = await new Promise<System>((resolve) => {
    const ui: System = SwaggerUI({
      domNode: place,
      spec: part(),
      plugins: [ourPlugin(description, access)],
      layout: 'ReferenceLayout',
      requestInterceptor: (request: OutgoingRequest) => withToken(request, access),
      // Else it sends the address of the description to a public server.
      validatorUrl: null,
      queryConfigEnabled: false,
      persistAuthorization: false,
      deepLinking: false,
      displayRequestDuration: true,
      syntaxHighlight: false,
      docExpansion: 'list',
      defaultModelsExpandDepth: 1,
      onComplete: () => setTimeout(() => resolve(ui)),
    });
  });
  const { specActions, layoutActions } = system;
  access.onChange(() => {
    specActions.updateJsonSpec(part());
    fillOpenBodies(system, description, access);
  });
  const show: Calls['show'] = (noun, operationId) => {
    if (noun !== shown) {
      shown = noun;
      specActions.updateJsonSpec(part());
    }
    if (operationId !== undefined) {
      layoutActions.show(['operations', noun, operationId], true);
      requestAnimationFrame(() => scrollToCall(noun, operationId));
    }
  };
  return { show };
}

/** An example fills the fields of an open call again, but its body only once. */
function fillOpenBodies(
  { oas3Selectors, oas3Actions }: System,
  { paths }: Description,
  access: Access,
): void {
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods)) {
      const value = filledInBody(oas3Selectors.requestBodyValue(path, method), access);
      if (value !== undefined) oas3Actions.setRequestBodyValue({ value, pathMethod: [path, method] });
    }
}

function scrollToCall(noun: string, operationId: string): void {
  // Swagger UI escapes the dot of an id, in the id itself.
  document.getElementById(`operations-${noun}-${CSS.escape(operationId)}`)?.scrollIntoView();
}

/** A token that the reader gave to Swagger UI itself, in its dialog, stays. */
async function withToken(request: OutgoingRequest, access: Access): Promise<OutgoingRequest> {
  const { origin, pathname } = new URL(request.url, location.origin);
  const needsToken = origin === location.origin && pathname !== '/auth/token';
  if (needsToken && request.headers['Authorization'] === undefined)
    Object.assign(request.headers, await access.headers());
  return request;
}

/**
 * One noun at a time, under our own heading. Calls at the domain of a shop can be read, not tried: the page's policy
 * allows no other origin.
 */
function ourPlugin(description: Description, access: Access) {
  const isHere = (path: string, method: string): boolean =>
    description.paths[path]?.[method]?.servers === undefined;
  return (system: System) => {
    const h = system.React.createElement;
    const Samples = samplesPanel(system, description, access);
    return {
      components: { ReferenceLayout: referenceLayout(system) },
      wrapComponents: {
        ...accessibleParts(system),
        OperationTag: () => (props: { children: import('react').ReactNode }) => props.children,
        response: foldedRefusals(system),
        responses:
          (Original: import('react').ComponentType<{ path: string; method: string }>) =>
          (props: { path: string; method: string }) =>
            h(system.React.Fragment, null, h(Samples, props), h(Original, props)),
      },
      statePlugins: {
        spec: {
          wrapSelectors: {
            allowTryItOutFor: () => (_state: unknown, path: string, method: string) => isHere(path, method),
          },
        },
        layout: { wrapActions: { show: keepingAddress } },
      },
    };
  };
}

interface ResponseProps {
  code: string;
  response: { get: (field: string) => unknown };
}

/** A refusal is one line with its codes until it is opened: an upsert has a dozen of them. */
function foldedRefusals({ React }: System) {
  const { createElement: h, useState } = React;
  return (Original: ComponentType<ResponseProps>) =>
    function FoldedRefusal(props: ResponseProps) {
      const [isOpen, setOpen] = useState(false);
      if (!/^[45]\d\d$/.test(props.code)) return h(Original, props);
      const named = String(props.response.get('description')).matchAll(/^`(\w+)`/gm);
      const codes = [...named].map(([, code]) => code).join(', ');
      const onClick = (): void => setOpen(!isOpen);
      const line = h(
        'tr',
        { className: 'response' },
        h('td', { className: 'response-col_status' }, props.code),
        h('td', { colSpan: 2 }, h('button', { type: 'button', 'aria-expanded': isOpen, onClick }, codes)),
      );
      return h(React.Fragment, null, line, isOpen && h(Original, props));
    };
}

/** The address follows what the reader opens and closes, so that it can be sent to a colleague. */
function keepingAddress(original: (thing: string[], shown: boolean) => unknown) {
  return (thing: string[], shown: boolean): unknown => {
    const [kind, noun, operationId] = thing;
    if (kind === 'operations' && noun !== undefined)
      history.replaceState(null, '', addressOfCalls(noun, shown ? operationId : undefined));
    return original(thing, shown);
  };
}

/** Without the parts that our own page has, or that stay empty: title, servers, filter. */
function referenceLayout(system: System) {
  const { createElement: h } = system.React;
  return function ReferenceLayout({ specSelectors }: System) {
    const part = (component: string) => h(system.getComponent(component, component !== 'SvgAssets'));
    const hasCalls = specSelectors.paths().size > 0;
    const parts = ['SvgAssets', 'errors', ...(hasCalls ? ['operations'] : ['Webhooks', 'Models'])];
    return h('div', { className: 'swagger-ui' }, ...parts.map(part));
  };
}

interface FieldProps {
  /** Of a parameter: its name. */
  description?: string;
  schema?: { get: (keyword: string) => unknown };
}

/** Parts of Swagger UI whose controls lack a name, or that only a mouse can scroll, with what they lack. */
function accessibleParts({ React }: System) {
  const { createElement: h, useEffect, useRef } = React;
  const named =
    (name: string) =>
    (Original: ComponentType): ComponentType =>
    (props) =>
      h('label', { className: 'named' }, h('span', null, name), h(Original, props));
  const focusable = (Original: ComponentType) =>
    function FocusableCode(props: object) {
      const frame = useRef<HTMLDivElement>(null);
      useEffect(() => {
        for (const block of frame.current?.querySelectorAll('pre') ?? []) block.tabIndex = 0;
      });
      return h('div', { ref: frame }, h(Original, props));
    };
  return {
    ExamplesSelect: named('Example'),
    RequestBodyEditor: named('Request body'),
    HighlightCode: focusable,
    curl: focusable,
    JsonSchemaForm: (Original: ComponentType<FieldProps>) => (props: FieldProps) =>
      props.schema?.get('enum') === undefined
        ? h(Original, props)
        : h('label', { className: 'named' }, h('span', null, props.description), h(Original, props)),
  };
}
