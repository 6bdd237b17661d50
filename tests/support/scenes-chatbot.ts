import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

/** A flow whose first version is published. */
const botFlow: Prepare = async (world) => {
  const { data } = await (
    await world.as('admin')
  ).post('/api/chatbot/flows', { name: 'Welcome', enabled: true })
  return { id: String(data['id']) }
}

/** A flow with a draft. */
const draft: Prepare = async (world) => {
  const { data } = await (await world.as('admin')).post('/api/chatbot/flows', { name: 'Welcome' })
  return { id: String(data['id']) }
}

/** Prepares the data for the documented examples of the chatbot. */
export const CHATBOT_STAGES: Record<string, Prepare> = {
  'GET /api/chatbot/flows/:id': botFlow,
  'PUT /api/chatbot/flows/:id': botFlow,
  'DELETE /api/chatbot/flows/:id': botFlow,
  'POST /api/chatbot/flows/:id/publish': draft,
  'POST /api/chatbot/flows/:id/duplicate': botFlow,
  'GET /api/chatbot/flows/:id/figures': botFlow,
  'GET /api/chatbot/flows/:id/versions': botFlow,
  'GET /api/chatbot/flows/:id/versions/:version': botFlow,
  'POST /api/chatbot/flows/:id/versions/:version/restore': botFlow,
}
