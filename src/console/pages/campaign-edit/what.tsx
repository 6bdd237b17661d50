import { useState } from 'react'

import type { Campaign, Template } from '../../api/shapes'
import { PlainButton } from '../../parts/button'
import type { Draft } from '../../parts/draft'
import { messageOf } from '../../parts/phone/message'
import { PhonePreview } from '../../parts/phone/preview'
import { t } from '../../texts/texts'
import { Bindings } from './bindings'
import type { CampaignForm } from './form'
import { CardFiles, HeaderFile } from './header-file'
import { beyondOf, bindColumns, keepKnown, valuesFor, type Person } from './sources'
import { TemplateChoice } from './template-choice'
import { usePeople } from './use-people'
import { Trouble } from '../../parts/state'

interface Props {
  campaign: Campaign | null
  draft: Draft<CampaignForm>
  template: Template | null
  onSave: () => Promise<Campaign>
}

/** What is sent: a template, where its values come from, and how it looks on three phones. */
export function WhatStep({ campaign, draft, template, onSave }: Props) {
  const { value, set } = draft
  const { people, columns } = usePeople(campaign, value)
  const [shown, setShown] = useState(0)
  const person = people[shown] ?? people[0] ?? null
  return (
    <div className="wizard-columns">
      <div className="form">
        <TemplateChoice
          accountId={value.account_id}
          chosen={template}
          onChoose={(next) => {
            set({
              template_id: next.id,
              variable_mapping: bindColumns(next, keepKnown(next, value.variable_mapping), columns),
            })
          }}
        />
        {template && beyondOf(template).length > 0 && <Trouble>{t('wizard.what.beyond')}</Trouble>}
        {template && <HeaderFile campaign={campaign} template={template} onSave={onSave} />}
        {template && (
          <CardFiles
            template={template}
            mapping={value.variable_mapping}
            onChange={(mapping) => {
              set({ variable_mapping: mapping })
            }}
          />
        )}
        {template && (
          <Bindings
            template={template}
            mapping={value.variable_mapping}
            columns={columns}
            onChange={(mapping) => {
              set({ variable_mapping: mapping })
            }}
          />
        )}
      </div>
      {template && (
        <div className="wizard-preview">
          <People people={people} chosen={person} onChoose={setShown} />
          <PhonePreview
            label={person?.name ?? t('parts.phone.title')}
            message={messageOf(template, {
              ...valuesFor(template, value.variable_mapping, person),
              mediaId: campaign?.header_media_id ?? template.header_media_id,
            })}
          />
        </div>
      )}
    </div>
  )
}

/** Whose message is shown. */
function People({
  people,
  chosen,
  onChoose,
}: {
  people: readonly Person[]
  chosen: Person | null
  onChoose: (nth: number) => void
}) {
  if (people.length === 0) return <p className="muted small">{t('wizard.what.nobody')}</p>
  return (
    <div className="wizard-people" role="group" aria-label={t('wizard.what.people')}>
      {people.map((one, nth) => (
        <PlainButton
          key={one.id}
          className="chip"
          aria-pressed={one === chosen}
          onPress={() => {
            onChoose(nth)
          }}
        >
          <bdi>{one.name}</bdi>
        </PlainButton>
      ))}
    </div>
  )
}
