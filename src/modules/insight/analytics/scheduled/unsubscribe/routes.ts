import { Elysia, t } from 'elysia'

import { guard } from '../../../../../http/guard'
import { STYLE_PATH } from '../../../../../http/docs/routes'
import { htmlPage, htmlResponse } from '../../../../../http/html'
import type { Http } from '../../../../../http/http-deps'
import { subscriptionOf, unsubscribe } from './service'

/** As other pages, but its one button may send its form. */
const CONTENT_SECURITY =
  "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"

const Token = t.Object({ token: t.String({ maxLength: 2_000 }) })

const PAGE = {
  200: {
    description: 'A page.',
    content: { 'text/html': { schema: { type: 'string' as const } } },
  },
}

const pageOf = (body: string): Response =>
  htmlResponse(htmlPage({ title: 'Unsubscribe', style: `../../..${STYLE_PATH}` }, body), {
    headers: { 'content-security-policy': CONTENT_SECURITY },
  })

type Subscription = ReturnType<typeof subscriptionOf>

const nameOf = ({ every, organizationName }: Subscription): string =>
  `the ${every === 'week' ? 'weekly' : 'monthly'} report of ${Bun.escapeHTML(organizationName)}`

/** Routes of the links with which people take themselves off a scheduled report. */
export const unsubscribeRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics/unsubscribe', tags: ['Analytics'] })
    .use(guard(http))
    .get(
      '/:token',
      ({ params }) => {
        const subscription = subscriptionOf(http, params.token)
        return pageOf(`      <h1>Unsubscribe</h1>
      <p>Do you want to stop getting ${nameOf(subscription)} by email?</p>
      <form method="post"><button type="submit">Unsubscribe</button></form>`)
      },
      {
        raw: 'the token in the path is sealed and names the person',
        refuses: ['404 not_found', '409 moved', '503 organization_moving'],
        params: Token,
        detail: {
          operationId: 'getUnsubscribePage',
          summary: 'Show the page to unsubscribe',
          description:
            'The link in each email of a scheduled report. It changes nothing; the page has a button.',
          responses: PAGE,
        },
      },
    )
    .post(
      '/:token',
      ({ params }) => {
        const subscription = unsubscribe(http, params.token)
        return pageOf(`      <h1>Unsubscribed</h1>
      <p>You no longer get ${nameOf(subscription)}.</p>`)
      },
      {
        parse: 'none',
        raw: 'the token in the path is sealed and names the person',
        refuses: ['404 not_found', '409 moved', '503 organization_moving'],
        params: Token,
        detail: {
          operationId: 'unsubscribe',
          summary: 'Unsubscribe from a scheduled report',
          description:
            'Takes the person off the report. Mail programs call it when a person unsubscribes with ' +
            'one click (RFC 8058). Repeating it has no effect. Links in emails of a server that the ' +
            'organization has left are refused with 409 `moved`.',
          responses: PAGE,
        },
      },
    )
