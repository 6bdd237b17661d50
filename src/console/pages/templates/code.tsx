import { Button } from '../../parts/button'
import { Checkbox } from '../../parts/choice'
import { CountedField } from '../../parts/counted'
import type { Draft } from '../../parts/draft'
import { NumberField, TextField } from '../../parts/field'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { pathsOf } from './content'
import { CODE_WAYS, EMPTY_APP, type AppForm, type TemplateForm } from './form'
import { Remove } from './words'

/** Apps that a code can be filled into, at most. */
const MOST_APPS = 5

interface Props {
  draft: Draft<TemplateForm>
}

/** The message of a one-time code, whose words WhatsApp writes itself. */
export function Code({ draft }: Props) {
  const { value: form, set } = draft
  return (
    <>
      <Section title={t('templates.code')} hint={t('templates.code-hint')}>
        <div className="form">
          <Checkbox
            isSelected={form.hasAdvice}
            onChange={(hasAdvice) => {
              set({ hasAdvice })
            }}
          >
            {t('templates.code-advice')}
          </Checkbox>
          <NumberField
            name={`${pathsOf(form).FOOTER ?? ''}.code_expiration_minutes`}
            label={t('templates.code-minutes')}
            hint={t('templates.code-minutes-hint')}
            range={[1, 90]}
            value={form.minutes}
            onChange={(minutes) => {
              set({ minutes })
            }}
            onClear={() => {
              set({ minutes: null })
            }}
          />
        </div>
      </Section>
      <Section title={t('templates.buttons')}>
        <Way draft={draft} />
      </Section>
    </>
  )
}

/** How the code gets into the app: copied, filled in by a tap, or without one. */
function Way({ draft: { value: form, set } }: Props) {
  const { codeWay } = form
  const path = `${pathsOf(form).BUTTONS ?? ''}.buttons.0`
  return (
    <div className="form">
      <Select
        name={`${path}.otp_type`}
        label={t('templates.code-way')}
        hint={t(`templates.code-way-hint.${codeWay}`)}
        choices={CODE_WAYS.map((id) => ({
          ...{ id, label: t(`templates.code-way.${id}`), hint: t(`templates.code-way-hint.${id}`) },
        }))}
        value={codeWay}
        onChange={(way) => {
          const needsApp = way !== 'COPY_CODE' && form.apps.length === 0
          set({ codeWay: way, ...(needsApp ? { apps: [EMPTY_APP] } : {}) })
        }}
      />
      <CountedField
        name={`${path}.text`}
        label={t('templates.button-text')}
        hint={t('templates.code-words-hint')}
        most={25}
        value={form.codeButton}
        onChange={(codeButton) => {
          set({ codeButton })
        }}
      />
      {codeWay !== 'COPY_CODE' && (
        <>
          <CountedField
            name={`${path}.autofill_text`}
            label={t('templates.code-fill')}
            hint={t('templates.code-words-hint')}
            most={25}
            value={form.fillButton}
            onChange={(fillButton) => {
              set({ fillButton })
            }}
          />
          <Apps
            path={`${path}.supported_apps`}
            apps={form.apps}
            onChange={(apps) => {
              set({ apps })
            }}
          />
        </>
      )}
      {codeWay === 'ZERO_TAP' && (
        <Checkbox
          isSelected={form.hasTerms}
          onChange={(hasTerms) => {
            set({ hasTerms })
          }}
        >
          {t('templates.code-terms')}
        </Checkbox>
      )}
    </div>
  )
}

interface AppsProps {
  path: string
  apps: readonly AppForm[]
  onChange: (apps: AppForm[]) => void
}

/** The apps on Android that the code may be filled into. */
function Apps({ path, apps, onChange }: AppsProps) {
  const change = (index: number, more: Partial<AppForm>): void => {
    onChange(apps.map((one, nth) => (nth === index ? { ...one, ...more } : one)))
  }
  return (
    <>
      <p className="muted small">{t('templates.code-apps-hint')}</p>
      {apps.map((app, index) => (
        <fieldset key={index} className="button-form">
          <legend className="visually-hidden">{t('templates.app', { number: index + 1 })}</legend>
          <div className="button-head">
            <b className="grow">{t('templates.app', { number: index + 1 })}</b>
            {apps.length > 1 && (
              <Remove
                label={t('parts.action.remove', {
                  name: t('templates.app', { number: index + 1 }),
                })}
                onPress={() => {
                  onChange(apps.toSpliced(index, 1))
                }}
              />
            )}
          </div>
          <TextField
            name={`${path}.${index}.package_name`}
            label={t('templates.app-package')}
            hint={t('templates.wrong.package')}
            value={app.package_name}
            onChange={(name) => {
              change(index, { package_name: name })
            }}
          />
          <TextField
            name={`${path}.${index}.signature_hash`}
            label={t('templates.app-hash')}
            hint={t('templates.app-hash-hint')}
            value={app.signature_hash}
            onChange={(hash) => {
              change(index, { signature_hash: hash })
            }}
          />
        </fieldset>
      ))}
      {apps.length < MOST_APPS && (
        <Button
          icon="plus"
          onPress={() => {
            onChange([...apps, EMPTY_APP])
          }}
        >
          {t('templates.app-add')}
        </Button>
      )}
    </>
  )
}
