import type {
  TemplateComponent,
  TemplateToSend,
  TemplateComponentParameters,
} from '../../../../../platform/send/template'
import { componentOf, type Button } from '../../../../../platform/templates/components'
import type { Ctx } from '../../../../../infra/ctx'
import { findFlow } from '../../../../channel/flows/state'
import type { FlowRow } from '../../../../channel/flows/view'
import { sentComponentsOf, type TemplateRow } from '../../../../channel/templates/view'

const flowButtonOf = (
  row: TemplateRow,
): { button: Extract<Button, { type: 'FLOW' }>; index: number } | null => {
  const buttons = componentOf(sentComponentsOf(row), 'BUTTONS')?.buttons ?? []
  const index = buttons.findIndex(({ type }) => type === 'FLOW')
  const button = buttons[index]
  return button?.type === 'FLOW' ? { button, index } : null
}

/** Returns the Flow behind the template's button, or `null`. */
export function flowOfTemplate(ctx: Ctx, row: TemplateRow): FlowRow | null {
  const flowId = flowButtonOf(row)?.button.flow_id
  return flowId === undefined ? null : findFlow(ctx, flowId)
}

/** Adds the Flow token to a filled template, unless the sender set one. */
export function withFlowToken(
  row: TemplateRow,
  toSend: TemplateToSend,
  token: string,
): TemplateToSend {
  const place = flowButtonOf(row)
  if (place === null) return toSend
  const index = String(place.index)
  const isPlace = (part: TemplateComponent): part is TemplateComponentParameters =>
    part.type === 'button' && part.index === index
  const known = toSend.components.find(isPlace)?.parameters[0]?.['action'] as
    | Record<string, unknown>
    | undefined
  if (known?.['flow_token'] !== undefined) return toSend
  const part: TemplateComponentParameters = {
    type: 'button',
    sub_type: 'flow',
    index,
    parameters: [{ type: 'action', action: { ...known, flow_token: token } }],
  }
  return { ...toSend, components: [...toSend.components.filter((other) => !isPlace(other)), part] }
}
