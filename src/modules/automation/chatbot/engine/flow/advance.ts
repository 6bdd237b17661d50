import { nextAfter, nodeOf, type GraphNode } from '../../bot-flows/graph'
import type { FlowVersion } from '../../bot-flows/queries'
import type { CallKind, Session, TraceRow } from '../model'
import { endSession, pauseRun, trace, waitFor, type Run } from '../run'
import { refuseTransfer, transferOut } from '../transfer-out'
import { enterFlow } from './enter'
import { breakLoop, completeFlow } from './end'
import { stepProblem } from './guards'
import type { NodeResult } from './node-result'
import { continueNode, executeNode } from './nodes'

/** Executes nodes from one on until the session waits, ends, or other work has its turn. */
export function advance(run: Run, session: Session, flow: FlowVersion, node: GraphNode): void {
  let at: { flow: FlowVersion; node: GraphNode } | null = { flow, node }
  while (at !== null) {
    const problem = stepProblem(run, session)
    if (problem !== null) return breakLoop(run, problem)
    session.node = at.node.id
    if (!run.ports.mayContinue()) {
      pauseRun(run, { at: 'flow' })
      return undefined
    }
    run.steps += 1
    session.steps += 1
    const row = traceNode(run, at.node)
    at = apply(run, session, { ...at, row }, executeNode(run, session, at.flow, at.node, row))
  }
  return undefined
}

/** Continues at the node of the session after its call or its time, or where other work had its turn. */
export function resumeNode(run: Run, session: Session): void {
  const at = placeOf(run, session)
  if (!at) return endSession(run, 'failed', 'flow_gone')
  if (session.waitingFor === null) return advance(run, session, at.flow, at.node)
  const row = traceNode(run, at.node)
  return follow(run, session, { ...at, row }, continueNode(run, session, at.flow, at.node, row))
}

/** Applies the result of a node and executes those that follow. */
export function follow(
  run: Run,
  session: Session,
  at: { flow: FlowVersion; node: GraphNode; row: TraceRow },
  result: NodeResult,
): void {
  const next = apply(run, session, at, result)
  if (next) advance(run, session, next.flow, next.node)
}

/** Returns the flow and the node of a session; `null` if they are gone. */
export function placeOf(
  { ports }: { ports: Pick<Run['ports'], 'flowVersion'> },
  { flowId, flowVersion, node }: Session,
): { flow: FlowVersion; node: GraphNode } | null {
  const flow =
    flowId === null || flowVersion === null ? null : ports.flowVersion(flowId, flowVersion)
  const found = flow && node !== null ? nodeOf(flow.graph, node) : null
  return flow && found ? { flow, node: found } : null
}

/** Adds a visit of a node to the trace. */
export const traceNode = (run: Run, node: GraphNode, input: string | null = null): TraceRow =>
  trace(run, { stage: 'flow', nodeId: node.id, nodeType: node.type, outcome: 'waits', input })

/** Applies the result of a node. Returns the next one, or `null` if the session stops here. */
function apply(
  run: Run,
  session: Session,
  { flow, node, row }: { flow: FlowVersion; node: GraphNode; row: TraceRow },
  result: NodeResult,
): { flow: FlowVersion; node: GraphNode } | null {
  switch (result.kind) {
    case 'wait':
      waitFor(run, session, result.for)
      return null
    case 'timer':
      waitFor(run, session, 'timer', result.atMs)
      run.ports.continueAt(session, result.atMs)
      return null
    case 'call': {
      const call = { kind: result.call, key: session.steps, subject: result.subject }
      const refused = pauseRun(run, { at: 'flow' }, call)
      if (!refused) return null
      return apply(run, session, { flow, node, row }, failedCall(result.call, refused.refusal))
    }
    case 'ended':
      row.outcome = 'ended'
      if (session.status === 'active') completeFlow(run, session, flow)
      return null
    case 'loop':
      breakLoop(run, result.error)
      return null
    case 'goto': {
      row.outcome = 'goto'
      run.gotos += 1
      const entry = enterFlow(run, result.flow)
      row.nextNode = entry?.id ?? null
      return entry && { flow: result.flow, node: entry }
    }
    case 'next':
      return nextOf(run, session, { flow, node, row }, result)
  }
}

/** A call that could not begin. */
const failedCall = (call: CallKind, error: string): NodeResult => ({
  kind: 'next',
  outcome: call === 'http' ? 'http:non2xx' : 'error',
  error,
})

function nextOf(
  run: Run,
  session: Session,
  { flow, node, row }: { flow: FlowVersion; node: GraphNode; row: TraceRow },
  { outcome, error = null }: { outcome: string; error?: string | null },
): { flow: FlowVersion; node: GraphNode } | null {
  row.outcome = outcome
  row.error = error
  session.state.retries = 0
  const next = nextAfter(flow.graph, node, outcome)
  if (next === 'failed') {
    endSession(run, 'failed', error ?? 'error')
    return null
  }
  if (next === 'people') {
    if (!refuseTransfer(run))
      transferOut(run, { source: 'flow', teamId: null, notes: null }, { row })
    return null
  }
  if (next === 'completed') {
    completeFlow(run, session, flow)
    return null
  }
  row.nextNode = next.id
  return { flow, node: next }
}
