import type { OutgoingContent } from '../../../../platform/send/content'
import { flowContentOf, type FlowInput } from '../../../channel/flows/send'
import type { FlowRow } from '../../../channel/flows/view'

/** Returns the Flow that a message carries, or `null`. */
export function flowInputOf({ type, content }: OutgoingContent): FlowInput | null {
  if (type !== 'interactive' || content.kind !== 'flow') return null
  const { flow_id, mode, screen, data } = content
  return { flowId: flow_id.toLowerCase(), mode, screen, data, path: 'body.interactive' }
}

/** Completes a message with the details of its Flow and the token of its response. */
export function withFlow(
  message: OutgoingContent,
  row: FlowRow | null,
  token: string,
): OutgoingContent {
  const input = flowInputOf(message)
  if (
    row === null ||
    input === null ||
    message.type !== 'interactive' ||
    message.content.kind !== 'flow'
  )
    return message
  return {
    ...message,
    content: { ...message.content, ...flowContentOf(row, input), flow_token: token },
  }
}
