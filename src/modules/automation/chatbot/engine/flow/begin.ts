import type { FlowVersion } from '../../bot-flows/queries'
import { openSession, type Run } from '../run'
import { advance } from './advance'
import { breakLoop } from './end'
import { enterFlow } from './enter'
import { setVariables } from './guards'

/**
 * Begins a flow in the session of the run, or in a new one, with the variables that it has and the
 * given ones.
 */
export function beginFlow(
  run: Run,
  flow: FlowVersion,
  variables: Record<string, unknown> = {},
): void {
  const session = run.session?.status === 'active' ? run.session : openSession(run)
  const tooMuch = setVariables(session, variables)
  if (tooMuch !== null) return breakLoop(run, tooMuch)
  const entry = enterFlow(run, flow)
  if (entry) advance(run, session, flow, entry)
  return undefined
}
