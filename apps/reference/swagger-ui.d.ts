/** The part of Swagger UI that the page uses; its package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface System {
    React: typeof import('react');
    layoutActions: { show: (thing: string[], shown: boolean) => void };
    specSelectors: { paths: () => { size: number } };
    oas3Selectors: { requestBodyValue: (path: string, method: string) => unknown };
    oas3Actions: { setRequestBodyValue: (body: { value: string; pathMethod: [string, string] }) => void };
    specActions: { updateJsonSpec: (description: object) => void };
    getComponent: (name: string, isContainer?: boolean) => import('react').ComponentType<object>;
  }
  export interface OutgoingRequest {
    url: string;
    headers: Record<string, string>;
  }
  type Start = (options: Record<string, unknown>) => System;
  const SwaggerUI: Start;
  export default SwaggerUI;
}
