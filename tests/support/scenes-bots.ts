import { sessionOf } from './bots'
import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const started: Prepare = async (world) => {
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/chatbot/flows', { name: 'Order', enabled: true })
  const contact = await world.contactOf()
  return { id: String(data['id']), body: { contact_id: contact['id'] } }
}

const session: Prepare = async (world) => ({ id: await sessionOf(world) })

/** Prepares the data for the documented examples of the bot. */
export const BOT_STAGES: Record<string, Prepare> = {
  'GET /api/chatbot/sessions/:id': session,
  'POST /api/chatbot/sessions/:id/cancel': session,
  'POST /api/chatbot/flows/:id/start': started,
}
