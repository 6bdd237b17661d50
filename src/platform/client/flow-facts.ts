import { canSendOf, type CanSend } from './can-send'
import { isObject, listOf, numberOf, objectOf, wordOf, type JsonObject } from '../lenient-json'

/** A validation error in a Flow JSON. Lines and columns refer to the uploaded text. */
export interface FlowProblem {
  error: string | null
  error_type: string | null
  message: string | null
  line_start: number | null
  line_end: number | null
  column_start: number | null
  column_end: number | null
  /** Path in the document, in the platform's notation. */
  path: string | null
}

/** Whether a Flow can be sent, and the errors that prevent it. */
export interface FlowHealth {
  /** AVAILABLE, LIMITED, BLOCKED */
  can_send: CanSend | null
  errors: {
    code: number | null
    message: string | null
    solution: string | null
    entity: string | null
  }[]
}

/** A Flow as the platform reports it. */
export interface PlatformFlow {
  id: string
  name: string
  /** DRAFT, PUBLISHED, DEPRECATED, BLOCKED, THROTTLED */
  status: string
  categories: string[]
  validationErrors: FlowProblem[]
  jsonVersion: string | null
  dataApiVersion: string | null
  health: FlowHealth | null
}

const MAX_PROBLEMS = 100

/** Reads a Flow. Returns `null` without a valid ID. */
export function readFlow(flow: JsonObject): PlatformFlow | null {
  const id = wordOf(flow.id)
  if (id === null || !/^\d{1,32}$/.test(id)) return null
  return {
    id,
    name: wordOf(flow.name) ?? id,
    status: (wordOf(flow.status) ?? '').toUpperCase(),
    categories: listOf(flow.categories)
      .map(wordOf)
      .filter((word) => word !== null),
    validationErrors: readProblems(flow.validation_errors),
    jsonVersion: wordOf(flow.json_version),
    dataApiVersion: wordOf(flow.data_api_version),
    health: isObject(flow.health_status) ? readHealth(flow.health_status) : null,
  }
}

/** Reads the validation errors of a Flow JSON, up to a limit. */
export const readProblems = (problems: unknown): FlowProblem[] =>
  listOf(problems)
    .filter(isObject)
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({
      error: wordOf(problem.error),
      error_type: wordOf(problem.error_type),
      message: wordOf(problem.message),
      line_start: numberOf(problem.line_start),
      line_end: numberOf(problem.line_end),
      column_start: numberOf(problem.column_start),
      column_end: numberOf(problem.column_end),
      path: wordOf(objectOf(listOf(problem.pointers)[0]).path),
    }))

const readHealth = (health: JsonObject): FlowHealth => ({
  can_send: canSendOf(health),
  errors: listOf(health.entities)
    .filter(isObject)
    .flatMap((entity) =>
      listOf(entity.errors)
        .filter(isObject)
        .map((error) => ({
          code: numberOf(error.error_code),
          message: wordOf(error.error_description),
          solution: wordOf(error.possible_solution),
          entity: wordOf(entity.entity_type),
        })),
    )
    .slice(0, MAX_PROBLEMS),
})
