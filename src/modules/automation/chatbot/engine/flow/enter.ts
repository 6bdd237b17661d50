import type { FlowVersion } from '../../bot-flows/queries'
import { nodeOf, type GraphNode } from '../../bot-flows/graph'
import { renderText } from '../render'
import { endSession, say, trace, type Run } from '../run'

/**
 * Moves the session into a flow and writes its first message. Returns the first node; without one,
 * the session has failed.
 */
export function enterFlow(run: Run, flow: FlowVersion): GraphNode | null {
  const { session } = run
  if (!session) return null
  session.flowId = flow.flowId
  session.flowVersion = flow.version
  session.state.retries = 0
  const text = renderText(run, flow.settings.initialMessage)
  if (text !== null) say(run, text, trace(run, { stage: 'flow', outcome: 'initial_message' }))
  const entry = nodeOf(flow.graph, flow.graph.entry_node)
  if (!entry) endSession(run, 'failed', 'graph_invalid')
  return entry
}
