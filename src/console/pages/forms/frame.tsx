import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import type { Flow } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { TemplateArea } from '../../parts/template/area'
import { t } from '../../texts/texts'

/** The form's own address is how those of the other parts begin. */
const EXACT = { exact: true, includeSearch: false }
const TABS = {
  form: '/forms/$formId',
  responses: '/forms/$formId/responses',
  exchanges: '/forms/$formId/exchanges',
} as const

/** The parts of a form's screen. */
const Tabs = ({ form: { id, endpoint_mode: mode } }: { form: Flow }) => (
  <nav className="tabs" aria-label={t('forms.tabs')}>
    {(['form', 'responses', 'exchanges'] as const)
      .filter((one) => one !== 'exchanges' || mode !== 'none')
      .map((one) => (
        <Link key={one} to={TABS[one]} params={{ formId: id }} activeOptions={EXACT}>
          {t(`forms.tab.${one}`)}
        </Link>
      ))}
  </nav>
)

/** A part of a form's screen, once the form is loaded. */
export function FormScreen({ children }: { children: (form: Flow, tabs: ReactNode) => ReactNode }) {
  const { formId = '' } = useParams({ strict: false })
  const result = useApi('GET /api/flows/{id}', { params: { id: formId } }, useCan('flows:read'))
  const form = result.data
  return (
    <TemplateArea>
      {form ? (
        children(form, <Tabs form={form} />)
      ) : (
        <Page title={t('forms.title')}>
          <Guarded needs="flows:read">
            <Loaded result={result}>{() => null}</Loaded>
          </Guarded>
        </Page>
      )}
    </TemplateArea>
  )
}
