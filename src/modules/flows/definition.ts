import { fieldSentence, InvalidError, type FieldProblem } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import { readFlowJson, type Problem } from '../../platform/flow-json/document'
import { flowFacts, type FlowFacts } from '../../platform/flow-json/flow-facts'
import type { FlowVerdict } from './model'
import type { FlowRow } from './view'

const AT = 'body.json_definition'

/** The largest Flow JSON the platform takes, bytes. */
const LARGEST = 10 * 1024 * 1024

/** The columns that follow from a Flow JSON. */
export type DefinitionColumns = Pick<FlowRow, 'definition' | 'jsonVersion' | 'dataApiVersion'>

const shown = ({ path: place, message, line }: Problem): Required<FieldProblem> => ({
  path: [AT, ...place].join('.'),
  message,
  line,
})

/**
 * What is wrong with a Flow JSON by itself, with path and line; whether it has an endpoint is taken
 * from the form, where there is one.
 */
export function verdictOn(given: unknown, usesEndpoint: boolean | null): FlowVerdict {
  const { text: printed, problems } = readFlowJson(given, usesEndpoint)
  const errors = problems.map(shown)
  if (Buffer.byteLength(printed) > LARGEST)
    errors.push({ path: AT, message: 'must be up to 10 MB', line: 1 })
  return { valid: errors.length === 0, errors }
}

/**
 * A Flow JSON as it is stored. Throws InvalidError with path and line of everything that is wrong.
 */
export function readDefinition(given: unknown, usesEndpoint: boolean): DefinitionColumns {
  const { errors } = verdictOn(given, usesEndpoint)
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, `${first.message} (line ${first.line})`), {
      code: 'invalid_input',
      errors,
    })
  return definitionColumns(readFlowJson(given, usesEndpoint).text)
}

/** The columns that follow from a Flow JSON the platform has: whatever it holds. */
export function definitionColumns(printed: string): DefinitionColumns {
  const facts = flowFacts(JSON.parse(printed))
  return { definition: printed, jsonVersion: facts.version, dataApiVersion: facts.dataApiVersion }
}

/**
 * Facts of documents that were looked at lately: a form with pictures in it may have megabytes, and
 * is asked for at every step.
 */
const known = new Map<string, FlowFacts>()
const MAX_KNOWN = 200

/** The facts of a stored Flow JSON. */
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
