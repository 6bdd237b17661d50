import { useState } from 'react'

import type { Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { nameOf } from '../../parts/contact/name'
import { FoundSelect } from '../../parts/found-select'
import { messageOf } from '../../parts/phone/message'
import { PhonePreview } from '../../parts/phone/preview'
import { Cost } from '../../parts/template/cost'
import { firstValues, paramsOf } from '../../parts/template/values'
import { t } from '../../texts/texts'
import { componentsOf } from './content'
import type { TemplateForm } from './form'
import { exampleValues, shownFor, type Person } from './shown-values'

/** Stands for nobody: the examples are shown. */
const NOBODY = 'nobody'

interface Props {
  form: TemplateForm
  /** The template as it is stored, if it is. */
  template: Template | null
}

/** What a customer sees of the template as it is written: with its examples, or as one contact. */
export function Shown({ form, template }: Props) {
  const mayRead = useCan('contacts:read')
  const [chosen, setChosen] = useState<string | null>(null)
  const { data: contact } = useApi(
    'GET /api/contacts/{id}',
    { params: { id: chosen ?? '' } },
    chosen !== null,
  )
  const { language, category } = form
  const person = contact ? personOf(contact) : null
  return (
    <>
      {mayRead && (
        <FoundSelect
          kind="contact"
          label={t('templates.shown-to')}
          hint={t('templates.shown-to-hint')}
          first={[{ id: NOBODY, label: t('templates.shown-examples') }]}
          value={chosen ?? NOBODY}
          onChange={(id) => {
            setChosen(id === NOBODY ? null : id)
          }}
        />
      )}
      <PhonePreview
        message={messageOf(
          { components: componentsOf(form), language, category },
          shownFor(form, person),
        )}
      />
      {template && person && <CostFor template={template} person={person} />}
    </>
  )
}

const personOf = (contact: Person['contact']): Person => ({
  contact,
  name: contact.display_name === null ? null : nameOf(contact),
})

/** What the template costs as it is stored, sent to a person. */
function CostFor({ template, person }: { template: Template; person: Person }) {
  const known = firstValues(template, person.name, person.contact)
  const values = { ...exampleValues(template.variables), ...known }
  return (
    <Cost
      template={template}
      contactId={person.contact.id}
      values={paramsOf(template, values, null)}
    />
  )
}
