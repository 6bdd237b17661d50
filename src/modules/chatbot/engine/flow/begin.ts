import type { FlowVersion } from '../../bot-flows/queries'
import { openSession, type Run } from '../run'
import { advance } from './advance'
import { enterFlow } from './enter'

/** Begins a flow in the session of the run, or in a new one, with the variables that it has. */
export function beginFlow(run: Run, flow: FlowVersion): void {
  const session = run.session?.status === 'active' ? run.session : openSession(run)
  const entry = enterFlow(run, flow)
  if (entry) advance(run, session, flow, entry)
}
