import { reader } from '../../../../infra/read/reader'
import { flowSteps } from './figures'

/** Counts who came to the steps of a flow, and what became of them (`flowSteps`). */
export const CountFlowSteps = reader('chatbot.flow-steps', 'long', flowSteps)
