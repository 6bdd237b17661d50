import { useSearch } from '@tanstack/react-router'

import { saveFile } from '../../api/save-file'
import type { Flow, FlowResponse } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { contactColumn, timeColumn } from '../../parts/contact/contact-column'
import { nameOf } from '../../parts/contact/name'
import { ListPage } from '../../parts/list-page'
import type { Column } from '../../parts/table'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { FormScreen } from './frame'

/** An answer as it can be read in a line. */
const wordsOf = (value: unknown): string =>
  typeof value === 'boolean'
    ? t(value ? 'parts.merge.on' : 'parts.merge.off')
    : Array.isArray(value)
      ? value.map(wordsOf).join(', ')
      : typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : String(value)

/** Returns the labels of the fields of a form by their names. */
function labelsIn(part: unknown): Map<string, string> {
  if (typeof part !== 'object' || part === null) return new Map()
  const { name, label } = part as { name?: unknown; label?: unknown }
  const isLabel = typeof name === 'string' && typeof label === 'string' && !label.includes('${')
  const own: [string, string][] = isLabel ? [[name, label]] : []
  return new Map([...own, ...Object.values(part).flatMap((one) => [...labelsIn(one)])])
}

/** The answers of a response, each with the name of its field; tokens are of no use to people. */
const answersOf = ({ data }: FlowResponse): [name: string, value: string][] =>
  Object.entries(data ?? {})
    .filter(([name, value]) => name !== 'flow_token' && value !== null)
    .map(([name, value]) => [name, wordsOf(value)])

/** A label before its answer. */
const asked = (label: string): string => (/[:?؟]\s*$/.test(label) ? label : `${label}:`)

const columns = (labels: ReadonlyMap<string, string>): Column<FlowResponse>[] => [
  contactColumn<FlowResponse>(),
  {
    ...{ id: 'answers', label: t('forms.responses.answers'), width: 4 },
    cell: (response) => (
      <span className="answers">
        {answersOf(response).map(([name, value]) => (
          <span key={name} dir="auto" title={value}>
            <bdi>{asked(labels.get(name) ?? name)}</bdi> <b dir="auto">{value}</b>
          </span>
        ))}
      </span>
    ),
  },
  timeColumn(t('forms.responses.when'), ({ completed_at: at }) => at),
]

const saveAll = ({ id }: Flow): void => {
  const wish = { params: { id }, query: { format: 'csv' } } as const
  saveFile('GET /api/flows/{id}/responses', wish, `flow-${id}-responses.csv`).catch(report)
}

/** What customers entered into a form. */
export function Responses() {
  const search = useSearch({ from: '/forms/$formId/responses' })
  const canRead = useCan('flows:read')
  return (
    <FormScreen>
      {(form, tabs) => (
        <ListPage
          title={form.name}
          tabs={tabs}
          route="GET /api/flows/{id}/responses"
          needs="flows:read"
          icon="list"
          find={t('forms.responses.find')}
          words={search.q}
          filter={{}}
          always={{ id: form.id }}
          columns={columns(labelsIn(form.json_definition))}
          nameOf={({ contact }) => nameOf(contact)}
          empty={t('forms.responses.empty')}
          emptyHint={t('forms.responses.empty-hint')}
          actions={
            canRead && (
              <Button
                icon="download"
                onPress={() => {
                  saveAll(form)
                }}
              >
                {t('forms.responses.csv')}
              </Button>
            )
          }
        />
      )}
    </FormScreen>
  )
}
