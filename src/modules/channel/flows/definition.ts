import { fieldSentence, InvalidError, type FieldProblem } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import { readFlowJson, type Problem } from '../../../platform/flow-json/document'
import { flowFacts, type FlowFacts } from '../../../platform/flow-json/flow-facts'
import type { FlowVerdict } from './model'
import type { FlowRow } from './view'
import type { Ctx } from '../../../infra/ctx'
import { requireFlow } from './state'

const AT = 'body.json_definition'

/** Largest Flow JSON that the platform accepts, bytes. */
const MAX_BYTES = 10 * 1024 * 1024

/** Columns derived from a Flow JSON. */
export type DefinitionColumns = Pick<FlowRow, 'definition' | 'jsonVersion' | 'dataApiVersion'>

const toFieldProblem = ({ path: place, message, line }: Problem): Required<FieldProblem> => ({
  path: [AT, ...place].join('.'),
  message,
  line,
})

/** Returns the errors of a Flow JSON with path and line. `usesEndpoint` is `null` if unknown. */
function checkFlowJson(given: unknown, usesEndpoint: boolean | null): FlowVerdict {
  const { text: printed, problems } = readFlowJson(given, usesEndpoint)
  const errors = problems.map(toFieldProblem)
  if (Buffer.byteLength(printed) > MAX_BYTES)
    errors.push({ path: AT, message: 'must be up to 10 MB', line: 1 })
  return { valid: errors.length === 0, errors }
}

/**
 * Returns the columns of a valid Flow JSON. Throws InvalidError with path and line of every error.
 */
export function readDefinition(given: unknown, usesEndpoint: boolean): DefinitionColumns {
  const { errors } = checkFlowJson(given, usesEndpoint)
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, `${first.message} (line ${first.line})`), {
      code: 'invalid_input',
      errors,
    })
  return definitionColumns(readFlowJson(given, usesEndpoint).text)
}

/** Returns the columns of a Flow JSON from the platform without validating it. */
export function definitionColumns(printed: string): DefinitionColumns {
  const facts = flowFacts(JSON.parse(printed))
  return { definition: printed, jsonVersion: facts.version, dataApiVersion: facts.dataApiVersion }
}

/**
 * Facts of recently used documents: a Flow JSON with images can have megabytes and is read at every
 * step.
 */
const known = new Map<string, FlowFacts>()

const MAX_KNOWN = 200

/** Returns the facts of a stored Flow JSON. */
export function factsOf({ definition }: Pick<FlowRow, 'definition'>): FlowFacts {
  if (definition === null) return flowFacts(null)
  const key = sha256Hex(definition)
  const facts = known.get(key) ?? flowFacts(JSON.parse(definition))
  known.delete(key)
  known.set(key, facts)
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  return facts
}

export const NO_DEFINITION: DefinitionColumns = {
  definition: null,
  jsonVersion: null,
  dataApiVersion: null,
}

/** Returns the errors of a Flow JSON for this Flow. Throws NotFoundError. */
export function validateFlow(ctx: Ctx, id: string, definition: unknown): FlowVerdict {
  const { endpointMode } = requireFlow(ctx, id)
  return checkFlowJson(definition, endpointMode !== 'none')
}

/** Returns the screen IDs of a Flow JSON; `null` without one. */
export const screensOf = (definition: DefinitionColumns): string[] | null =>
  definition.definition === null ? null : factsOf({ definition: definition.definition }).screens
