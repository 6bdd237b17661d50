import { createRoute } from '@tanstack/react-router'

import { root } from './root-route'
import * as screens from './form-screens'
import { choiceIn, only, pageIn, textIn } from './search-values'

const STATES = ['DRAFT', 'PUBLISHED', 'THROTTLED', 'BLOCKED', 'DEPRECATED'] as const

/** Which forms are listed, as the address says. */
interface FormsSearch {
  q?: string | undefined
  state?: (typeof STATES)[number] | undefined
}

const forms = createRoute({
  getParentRoute: () => root,
  path: '/forms',
  validateSearch: (raw: Record<string, unknown>): FormsSearch =>
    only(raw, { ...textIn(raw, 'q'), ...choiceIn(raw, 'state', STATES) }),
  component: screens.Forms,
})
const form = createRoute({
  getParentRoute: () => root,
  path: '/forms/$formId',
  component: screens.FormPage,
})
const responses = createRoute({
  getParentRoute: () => root,
  path: '/forms/$formId/responses',
  validateSearch: (raw: Record<string, unknown>): { q?: string | undefined } =>
    only(raw, textIn(raw, 'q')),
  component: screens.Responses,
})
const exchanges = createRoute({
  getParentRoute: () => root,
  path: '/forms/$formId/exchanges',
  validateSearch: (raw: Record<string, unknown>): { page?: number } => only(raw, pageIn(raw)),
  component: screens.Exchanges,
})

/** The screens about forms, each with its address. */
export const formRoutes = [forms, form, responses, exchanges]
