import { sessionOf } from './bots'
import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const session: Prepare = async (world) => ({ id: await sessionOf(world) })

/** Prepares the data for the documented examples of the bot. */
export const BOT_STAGES: Record<string, Prepare> = {
  'GET /api/chatbot/sessions/:id': session,
  'POST /api/chatbot/sessions/:id/cancel': session,
}
