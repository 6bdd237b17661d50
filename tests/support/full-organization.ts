import { exampleOf, pathOf, routesOf } from './routes'
import { stageIn } from './scenes'
import type { World } from './world'

/** Routes whose documented examples leave rows in most tables of an organization. */
const EXAMPLES = [
  'POST /api/api-keys',
  'POST /api/tags',
  'POST /api/teams',
  'PUT /api/contacts/:id',
  'PUT /api/contacts/:id/tags',
  'POST /api/contacts/:id/consents',
  'PUT /api/consent-settings',
  'POST /api/contact-attributes',
  'POST /api/contacts/:id/notes',
  'PUT /api/orders/:id',
  'POST /api/conversations/:id/thread',
  'PUT /api/organizations/branding',
  'POST /api/flows',
  'POST /api/canned-responses',
  'POST /api/segments',
  'POST /api/conversations/:id/messages',
  'POST /api/contacts/:id/messages/:message_id/reaction',
  'POST /api/messages/media',
  'POST /api/templates/:id/test',
  'PUT /api/chatbot/settings',
  'POST /api/chatbot/ai/test',
  'POST /api/chatbot/ai-contexts',
  'PUT /api/chatbot/ai-questions/:id',
  'POST /api/chatbot/transfers',
  'POST /api/scheduled-messages',
  'POST /api/chatbot/keywords',
  'POST /api/chatbot/flows/:id/start',
  'POST /api/custom-actions/:id/execute',
  'POST /api/contacts/:id/merge',
  'PUT /api/contacts/:id/apart/:other_id',
  'POST /api/contacts/:id/privacy-export',
  'PUT /api/retention',
  'POST /api/export',
  'POST /api/views',
  'PUT /api/analytics/board',
  'POST /api/analytics/scheduled-reports/:id/send',
  'POST /api/organizations/invitations',
  'POST /api/webhooks/:id/replay',
]

/** Fills the first tenant of a world with rows of almost every kind, over the API. */
export async function fillOrganization(world: World): Promise<void> {
  await sendExamples(world, EXAMPLES)
}

/** Sends the documented examples of routes. Throws if one is refused. */
export async function sendExamples(world: World, labels: readonly string[]): Promise<void> {
  const routes = routesOf(world)
  for (const label of labels) {
    const route = routes.find((one) => one.label === label)
    if (!route) throw new Error(`there is no route ${label}`)
    const {
      client,
      id,
      ids = id === undefined ? [] : [id],
      body,
      query,
    } = await stageIn(world, label)
    const path = pathOf(route, ...ids) + (query ?? '')
    const caller = client ?? (await world.as('admin'))
    const sent = route.body === null ? undefined : { ...exampleOf(route), ...body }
    const answer = await caller.request(route.method, path, sent)
    if (answer.status >= 300)
      throw new Error(`${label} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  await world.settle()
}
