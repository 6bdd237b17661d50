import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { Flow } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Checkbox } from '../../parts/choice'
import { CodeEditor, type CodeProblem } from '../../parts/code/code-field'
import { useDraft, type Draft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { TextField } from '../../parts/field'
import { Page, Section } from '../../parts/page'
import { SecretDialog } from '../../parts/secret-dialog'
import { t } from '../../texts/texts'
import { Endpoint } from './endpoint'
import { FormScreen } from './frame'
import { Actions } from './head-actions'
import { useProblems } from './use-problems'
import { changesOf, MERGE, valuesOf, type Values } from './values'
import { useFormsRefresh } from './verbs'
import { CATEGORIES } from './words'

/** What a form is called and for. */
const About = ({ draft: { value, set } }: { draft: Draft<Values> }) => (
  <Section title={t('forms.about')}>
    <div className="form">
      <TextField
        name="name"
        label={t('forms.name')}
        hint={t('forms.name-hint')}
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
        maxLength={200}
      />
      <fieldset className="rights">
        <legend>{t('forms.categories')}</legend>
        {CATEGORIES.map((one) => (
          <Checkbox
            key={one}
            isSelected={value.categories.includes(one)}
            onChange={(isOn) => {
              const others = value.categories.filter((other) => other !== one)
              set({ categories: isOn ? [...others, one] : others })
            }}
          >
            {t(`forms.category.${one}`)}
          </Checkbox>
        ))}
      </fieldset>
    </div>
  </Section>
)

/** What WhatsApp itself found in what it was sent. */
function Found({ form }: { form: Flow }) {
  if (form.validation_errors.length === 0) return null
  return (
    <Section title={t('forms.found')}>
      <ul className="sentences">
        {form.validation_errors.map(({ message, error, line_start: line, path }) => (
          <li key={[line, path, message].join(' ')} dir="auto">
            {line === null
              ? (message ?? error)
              : t('parts.code.line', { line, message: message ?? error ?? '' })}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Problems that WhatsApp found, while the text is still what it was sent. */
const foundIn = ({ validation_errors: errors }: Flow): CodeProblem[] =>
  errors.flatMap(({ line_start: line, message, error }) =>
    line === null ? [] : [{ line, message: message ?? error ?? '' }],
  )

interface Props {
  form: Flow
  tabs: ReactNode
}

/** A form that can be changed: what it is for, its content, and who answers meanwhile. */
function FormEditor({ form, tabs }: Props) {
  const draft = useDraft(valuesOf(form))
  const refresh = useFormsRefresh()
  const [secret, setSecret] = useState<string | null>(null)
  const { value, set, changes } = draft
  const isDraft = form.status === 'DRAFT'
  const found = useProblems(form.id, value.code, isDraft)
  const problems = found.length > 0 || 'code' in changes ? found : foundIn(form)
  return (
    <>
      <EditPage
        title={form.name}
        tabs={tabs}
        actions={<Actions form={form} isChanged={Object.keys(changes).length > 0} />}
        draft={draft}
        merge={MERGE}
        onSave={async (made, seen) => {
          const { endpoint_config: config } = await call('PUT /api/flows/{id}', {
            params: { id: form.id },
            body: changesOf(made, seen),
            ifMatch: seen.updated_at,
          })
          const shown = (config as { secret?: string } | null)?.secret
          if (shown !== undefined) setSecret(shown)
          refresh()
        }}
      >
        {!isDraft && (
          <div className="section-note">
            <p className="banner">{t('forms.fixed')}</p>
          </div>
        )}
        <Found form={form} />
        {isDraft && <About draft={draft} />}
        <Section title={t('forms.content')} hint={t('forms.content-hint')}>
          <CodeEditor
            label={t('forms.code')}
            language="json"
            value={value.code}
            problems={problems}
            isReadOnly={!isDraft}
            onChange={(code) => {
              set({ code })
            }}
          />
        </Section>
        <Endpoint form={form} draft={draft} />
      </EditPage>
      {secret !== null && (
        <SecretDialog
          title={t('forms.secret')}
          hint={t('forms.secret-hint')}
          secret={secret}
          onClose={() => {
            setSecret(null)
          }}
        />
      )}
    </>
  )
}

/** A form for those who only read. */
const FormRead = ({ form, tabs }: Props) => (
  <Page title={form.name} tabs={tabs} actions={<Actions form={form} isChanged={false} />}>
    <Found form={form} />
    <Section title={t('forms.content')} hint={t('forms.content-hint')}>
      <CodeEditor
        label={t('forms.code')}
        language="json"
        value={valuesOf(form).code}
        isReadOnly
        onChange={() => undefined}
      />
    </Section>
  </Page>
)

/** The first part of a form's screen: its content. */
export function FormPage() {
  const canUpdate = useCan('flows:update')
  return (
    <FormScreen>
      {(form, tabs) =>
        canUpdate ? (
          <FormEditor key={form.id} form={form} tabs={tabs} />
        ) : (
          <FormRead form={form} tabs={tabs} />
        )
      }
    </FormScreen>
  )
}
