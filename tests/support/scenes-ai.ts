import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const context: Prepare = async (world) => {
  const { data } = await (
    await world.as('admin')
  ).post('/api/chatbot/ai-contexts', { name: 'Delivery', content: 'We deliver within two days.' })
  return { id: String(data['id']) }
}

/** Prepares the data for the documented examples of AI. */
export const AI_STAGES: Record<string, Prepare> = {
  'GET /api/chatbot/ai-contexts/:id': context,
  'PUT /api/chatbot/ai-contexts/:id': context,
  'DELETE /api/chatbot/ai-contexts/:id': context,
  'POST /api/chatbot/ai-contexts/:id/document': context,
  'POST /api/chatbot/ai-contexts/:id/test': context,
  'POST /api/chatbot/ai/test': async (world) => {
    const client = await world.as('admin')
    await client.put('/api/chatbot/settings', {
      ai_provider: 'anthropic',
      ai_model: 'claude-haiku-4-5',
      ai_api_key: 'sk-ant-example',
    })
    return { client }
  },
}
