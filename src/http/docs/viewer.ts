import { Elysia } from 'elysia'

const VIEWER = { script: '../swagger-ui-bundle.js', style: '../swagger-ui.css' }

/** The script that starts the viewer stands in its page, so the policy of the page permits it by its digest. */
export interface ViewerPage {
  html: string
  scriptDigest: string
}

/**
 * The page that sends an operation: the viewer of the swagger plugin, with files of this server
 * instead of those of a foreign one. No validator, no fonts, no pictures from elsewhere. It shows
 * this operation only, because it takes longer the more it shows. `back` is the page of the
 * operation.
 */
export async function viewerPage({
  id,
  summary,
  back,
}: {
  id: string
  summary: string
  back: string
}): Promise<ViewerPage> {
  const { swagger } = await import('@elysiajs/swagger')
  const page = new Elysia().use(
    swagger({
      path: '/page',
      specPath: `../documents/${id}`, // from the page that is shown
      provider: 'swagger-ui',
      theme: VIEWER.style,
      documentation: {
        info: {
          title: `${Bun.escapeHTML(summary)} · Switchboard API`,
          version: '',
          description: '',
        },
      },
      swaggerOptions: {
        docExpansion: 'full',
        tryItOutEnabled: true,
        defaultModelsExpandDepth: -1,
        validatorUrl: 'none',
        persistAuthorization: false,
      },
    }),
  )
  const written = await page.handle(new Request('http://localhost/page'))
  let script = ''
  const html = new HTMLRewriter()
    .on('script[src]', { element: (element) => void element.setAttribute('src', VIEWER.script) })
    .on('script:not([src])', { text: ({ text }) => void (script += text) })
    .on('#swagger-ui', {
      element: (element) =>
        void element.before(
          `<p class="swagger-ui"><a class="link" href="${back}">Back to the description</a></p>`,
          { html: true },
        ),
    })
    .transform(await written.text())
  return { html, scriptDigest: new Bun.CryptoHasher('sha256').update(script).digest('base64') }
}
