/** Our two files of the reference page. The rest is Swagger UI, unchanged from its package. */

export const pageHtml = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Offizin API reference</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/index.css">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The description itself: <a href="/openapi/external-api.yaml">/openapi/external-api.yaml</a></noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Calls go to the origin of the page, whatever its name; the content security policy allows no other. Operations at
 * other addresses (shop domains) can be read here but not tried. The token stays in the memory of the page; its scheme
 * comes last because the dialog focuses its last field. Without `validatorUrl: null` Swagger UI sends the address of
 * the description to a public server.
 */
export const startScript = `'use strict';

async function start() {
  const answer = await fetch('/openapi/external-api.json');
  if (!answer.ok) throw new Error('The description is unavailable: HTTP ' + answer.status);
  const description = await answer.json();
  const { AccessToken, ...otherSchemes } = description.components.securitySchemes;
  const components = { ...description.components, securitySchemes: { ...otherSchemes, AccessToken } };
  const isHere = (path, method) => description.paths[path]?.[method]?.servers === undefined;
  SwaggerUIBundle({
    dom_id: '#reference',
    spec: { ...description, components, servers: [{ url: location.origin }] },
    plugins: [
      {
        statePlugins: {
          spec: { wrapSelectors: { allowTryItOutFor: () => (state, path, method) => isHere(path, method) } },
        },
      },
    ],
    validatorUrl: null,
    queryConfigEnabled: false,
    persistAuthorization: false,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    filter: true,
    defaultModelsExpandDepth: 0,
  });
}

start().catch((error) => {
  document.getElementById('reference').textContent = String(error);
});
`;
