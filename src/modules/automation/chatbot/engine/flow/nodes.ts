import type { GraphNode, NodeOf } from '../../bot-flows/graph'
import type { FlowVersion } from '../../bot-flows/queries'
import { SECOND_MS } from '../../../../../lib/clock'
import { plainFields } from '../../../../inbox/contacts/plain-fields'
import type { Session, TraceRow } from '../model'
import { modelOf, render, renderAll, renderText } from '../render'
import { dataOf } from '../template-data'
import { say, type Run } from '../run'
import { refuseTransfer, transferOut } from '../transfer-out'
import type { NodeResult } from './node-result'
import { continueAi, continueHttp } from './call-results'
import { setVariables } from './guards'
import { sendNode } from './send'
import { orderWebhook } from './webhook'

const next = (outcome: string, error: string | null = null): NodeResult => ({
  kind: 'next',
  outcome,
  error,
})

/** Executes a node that the session comes to. */
export function executeNode(
  run: Run,
  session: Session,
  flow: FlowVersion,
  node: GraphNode,
  row: TraceRow,
): NodeResult {
  const { ports } = run
  switch (node.type) {
    case 'start':
      return next('default')
    case 'message':
    case 'media':
    case 'template':
    case 'buttons':
    case 'prompt':
    case 'whatsapp_flow':
    case 'interactive':
      return sendNode(run, node, row)
    case 'api_call':
      return { kind: 'call', call: 'http', subject: {} }
    case 'webhook':
      return next(
        'default',
        orderWebhook(run, session, {
          flow,
          nodeId: node.id,
          key: `${session.id}-${session.steps}`,
          config: node.config,
        }),
      )
    case 'condition':
      return evaluate(run, session, node)
    case 'timing': {
      const { schedule, use_business_hours: usesSettings } = node.config
      const asksSettings = usesSettings || schedule == null
      const isOpen = asksSettings ? ports.isOpenNow() : ports.isWithin(schedule)
      // The flow says itself that it is closed.
      if (asksSettings && !isOpen) ports.markOutOfHours()
      return next(isOpen ? 'in_hours' : 'out_of_hours')
    }
    case 'set_variable':
      return assignVariables(run, session, node)
    case 'update_contact':
      return updateContact(run, node)
    case 'delay':
      return { kind: 'timer', atMs: ports.nowMs() + node.config.seconds * SECOND_MS }
    case 'tag':
      ports.changeTags(node.config)
      return next('default')
    case 'assign':
      ports.assign({ userId: node.config.user_id ?? null, teamId: node.config.team_id ?? null })
      return next('default')
    case 'ai_response':
      return {
        kind: 'call',
        call: 'ai',
        subject: { prompt: renderText(run, node.config.prompt_template) ?? '' },
      }
    case 'transfer':
      return transferTo(run, node, row)
    case 'goto_flow': {
      const target = ports.publishedFlow(node.config.flow_id)
      return target ? { kind: 'goto', flow: target } : next('error', 'bad_reference')
    }
    case 'end':
      say(run, renderText(run, node.config.message), row)
      return { kind: 'ended' }
  }
}

/** Continues at a node after its time or its call. */
export function continueNode(
  run: Run,
  session: Session,
  _flow: FlowVersion,
  node: GraphNode,
  row: TraceRow,
): NodeResult {
  if (node.type === 'delay')
    return run.ports.isWindowOpen() ? next('default') : next('error', 'window_closed')
  const { result } = run
  run.result = null
  if (result === null) return next('error', 'lost')
  if (node.type === 'api_call') return continueHttp(run, session, node, { result, row })
  if (node.type === 'ai_response') return continueAi(run, session, node, { result, row })
  if (node.type !== 'media') return next('error', 'lost')
  return result.mediaId === null
    ? next('error', result.error ?? 'media_not_fetched')
    : sendNode(run, node, row, result.mediaId)
}

function evaluate(run: Run, session: Session, { config }: NodeOf<'condition'>): NodeResult {
  const { value, notes } = run.ports.liquid.evaluateCondition(
    config.expression,
    dataOf(run.ports, { session, turn: run.turn }),
  )
  return next(String(value), notes.length === 0 ? null : notes.join(' '))
}

function assignVariables(
  run: Run,
  session: Session,
  { config }: NodeOf<'set_variable'>,
): NodeResult {
  const rendered = renderAll(run, config.set)
  if ('problem' in rendered) return next('default', rendered.problem)
  const models = Object.entries(config.set).flatMap(([name, template]) => {
    const model = modelOf(session, template)
    return model === null ? [] : [[name, model] as const]
  })
  const values = rendered.value as Record<string, unknown>
  const tooMuch = setVariables(session, values, Object.fromEntries(models))
  return tooMuch === null ? next('default') : { kind: 'loop', error: tooMuch }
}

function updateContact(run: Run, { config }: NodeOf<'update_contact'>): NodeResult {
  const attributes = renderAll(run, config.attributes ?? {})
  if ('problem' in attributes) return next('error', attributes.problem)
  const texts = plainFields.flatMap(({ field }) => {
    const text = renderText(run, config[field])
    return text === null ? [] : [[field, text]]
  })
  const problem = run.ports.updateContact({
    ...Object.fromEntries(texts),
    attributes: attributes.value as Record<string, unknown>,
    marketingConsent: config.marketing_consent ?? undefined,
  })
  return problem === null ? next('default') : next('error', problem)
}

function transferTo(run: Run, { config }: NodeOf<'transfer'>, row: TraceRow): NodeResult {
  if (refuseTransfer(run)) return { kind: 'ended' }
  const notes = config.notes == null ? null : render(run, config.notes)
  const { team_id: teamId } = config
  run.isAnswered = true
  transferOut(
    run,
    {
      source: 'flow',
      teamId: teamId == null || teamId === 'general' ? null : teamId,
      notes: notes?.ok === true && notes.text !== '' ? notes.text : null,
    },
    { text: renderText(run, config.body), row },
  )
  return { kind: 'ended' }
}
