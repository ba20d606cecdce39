import type { ComponentType } from 'react';
import type { System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

interface FieldProps {
  /** Of a parameter: its name. */
  description?: string;
  schema?: { get: (keyword: string) => unknown };
}

/** Parts of Swagger UI whose controls lack a name, or that only a mouse can scroll, with what they lack. */
export function accessibleParts({ React }: System) {
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
