import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../src/commands/run'
import { ConfigError, readConfig } from '../../src/config'
import { freePort } from '../support/ports'
import { ServerProcess } from '../support/process'
import { missingOf, recipe, recipesOf } from './guide'

const DOCKERFILE = join(import.meta.dir, '../../Dockerfile')

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recipe-units-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The settings a recipe gives, read as the server reads them: a wrong name or value shows. */
function settingsOf(env: Record<string, string>): ReturnType<typeof readConfig> {
  const config = readConfig(env)
  expect(Object.keys(env).filter((name) => !(name.replace(/_FILE$/, '') in config.shown))).toEqual(
    [],
  )
  return config
}

const analyzer = missingOf('systemd-analyze')

test.skipIf(analyzer !== null)(
  `the systemd unit is rated 3.0 or better${analyzer === null ? '' : ' (not tried: systemd-analyze not installed)'}`,
  () => {
    const unit = join(folder, 'switchboard.service')
    writeFileSync(unit, recipe('systemd', 'ini', {}))
    const { stdout } = Bun.spawnSync(['systemd-analyze', 'security', '--offline=true', unit], {
      env: { ...process.env, SYSTEMD_PAGER: '' },
    })
    const [, level] =
      /Overall exposure level for switchboard\.service: ([\d.]+)/.exec(stdout.toString()) ?? []
    // the figure the guide names
    expect({ level, isGood: Number(level) <= 3 }).toEqual({ level: '1.4', isGood: true })
  },
)

test.skipIf(analyzer !== null)(
  `systemd understands each line of the unit${analyzer === null ? '' : ' (not tried: systemd-analyze not installed)'}`,
  () => {
    const unit = join(folder, 'verified.service')
    const verify = (text: string): string => {
      writeFileSync(unit, text)
      const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', unit])
      return `${exitCode}: ${stderr.toString()}`
    }
    // It looks for the executable, too.
    const text = recipe('systemd', 'ini', { '/usr/local/bin/switchboard': process.execPath })
    expect(verify(text)).toBe('0: ')
    expect(verify(text.replace('Restart=always', 'Restart=sometimes'))).toContain('sometimes')
  },
)

test('the systemd unit starts the server again unless a setting is wrong, as a fixed user with settings that exist', () => {
  const unit = recipe('systemd', 'ini', {})
  expect(unit).toMatch(/^Restart=always$/m)
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m)
  const [, code] = /^RestartPreventExitStatus=(\d)$/m.exec(unit) ?? []
  expect(Number(code)).toBe(failureOf(new ConfigError([])).code)
  expect(unit).toMatch(/^User=switchboard$/m)
  expect(unit).not.toContain('DynamicUser')
  const [, written = ''] = /^Environment=(.*)$/m.exec(unit) ?? []
  const config = settingsOf(
    Object.fromEntries(written.split(' ').map((pair) => pair.split('=') as [string, string])),
  )
  expect(config).toMatchObject({
    dataDir: '/var/lib/switchboard',
    host: '127.0.0.1',
    baseUrl: 'https://chat.example.com',
  })
  expect(config.trustedProxies).toHaveLength(1)
})

interface ComposeService {
  image: string
  restart: string
  healthcheck?: {
    test: string[]
    interval: string
    timeout: string
    start_period: string
    retries: number
  }
  read_only?: boolean
  ports: string[]
  environment?: Record<string, string>
  networks: { front: { ipv4_address: string } }
  volumes: string[]
}

test('the compose file publishes the server on loopback only, restarts it and trusts its proxy alone', () => {
  const compose = Bun.YAML.parse(recipe('Docker', 'yaml', {})) as {
    services: Record<'switchboard' | 'proxy', ComposeService>
    volumes: object
    secrets: object
    networks: object
  }
  const { switchboard, proxy } = compose.services
  expect(switchboard.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:9464:9464'])
  expect([switchboard.restart, proxy.restart]).toEqual(['unless-stopped', 'unless-stopped'])
  expect(switchboard.read_only).toBe(true)
  const { test: asks, ...often } = switchboard.healthcheck ?? {}
  const flags = Object.entries(often).map(([name, value]) => `--${name.replace('_', '-')}=${value}`)
  // as the image itself does, for engines that do not read it from there
  expect(readFileSync(DOCKERFILE, 'utf8')).toContain(
    `HEALTHCHECK ${flags.join(' ')} ${asks?.[0]} ${JSON.stringify(asks?.slice(1)).replaceAll(',', ', ')}\n`,
  )
  expect(switchboard.environment?.['TRUSTED_PROXIES']).toBe(
    `${proxy.networks.front.ipv4_address}/32`,
  )
  const { APP_SECRET_FILE, METRICS_TOKEN_FILE, ...env } = switchboard.environment ?? {}
  expect([APP_SECRET_FILE, METRICS_TOKEN_FILE]).toEqual([
    '/run/secrets/app_secret',
    '/run/secrets/metrics_token',
  ])
  expect(settingsOf(env).baseUrl).toBe('https://chat.example.com')
  for (const volume of [...switchboard.volumes, ...proxy.volumes].map(
    (written) => written.split(':')[0] ?? '',
  ))
    expect(volume.startsWith('./') || volume in compose.volumes).toBe(true)
  expect(Object.keys(compose.secrets)).toEqual(['app_secret', 'metrics_token'])
})

test('metrics of the compose file can be scraped from outside the container, with the token only', async () => {
  const compose = Bun.YAML.parse(recipe('Docker', 'yaml', {})) as {
    services: Record<'switchboard', ComposeService>
  }
  const { METRICS_ADDRESS = '' } = compose.services.switchboard.environment ?? {}
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address
  const [port, token] = [await freePort(), 'token-of-this-test-0123456789']
  const file = join(folder, 'metrics_token.txt')
  writeFileSync(file, `${token}\n`)
  await using server = await ServerProcess.start({
    cwd: folder,
    env: {
      DATA_DIR: join(folder, 'data'),
      PASSWORD_MEMORY_MIB: '8',
      METRICS_ADDRESS: METRICS_ADDRESS.replace('9464', String(port)),
      METRICS_TOKEN_FILE: file,
    },
  })
  const url = `http://${outside ?? '127.0.0.1'}:${port}/metrics`
  expect((await fetch(url)).status).toBe(401)
  const scraped = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  expect([scraped.status, await scraped.text()]).toEqual([
    200,
    expect.stringContaining('switchboard_build_info'),
  ])
  await server.until('the banner', () => server.lines.find((line) => line.includes('Webhooks')))
  expect(server.lines.filter((line) => line.includes('Metrics are open'))).toEqual([])
})

test('the image listens on all addresses of its container', () => {
  const [, variables = ''] = /^ENV (.*)$/m.exec(readFileSync(DOCKERFILE, 'utf8')) ?? []
  const pairs = variables.split(' ').map((pair) => pair.split('=') as [string, string])
  const { NODE_ENV, DEMO_HOST, ...env } = Object.fromEntries(pairs)
  expect({ NODE_ENV, DEMO_HOST }).toEqual({ NODE_ENV: 'production', DEMO_HOST: '0.0.0.0' })
  expect(settingsOf(env)).toMatchObject({ host: '0.0.0.0', dataDir: '/data' })
})

const promtool = missingOf('promtool')

test.skipIf(promtool !== null)(
  `the alerts fire in the cases of tests/modules/operation/system/alerts.yml${promtool === null ? '' : ' (not tried: promtool not installed)'}`,
  () => {
    const { exitCode, stdout } = Bun.spawnSync([
      'promtool',
      'test',
      'rules',
      join(import.meta.dir, '../modules/operation/system/alerts.yml'),
    ])
    expect({ exitCode, out: stdout.toString() }).toMatchObject({ exitCode: 0 })
  },
)

test('Prometheus scrapes under the name that the alerts expect', () => {
  const [scrape = ''] = recipesOf('Monitoring', 'yaml')
  const { scrape_configs: jobs } = Bun.YAML.parse(scrape) as {
    scrape_configs: { job_name: string }[]
  }
  const alerts = readFileSync(
    join(import.meta.dir, '../../src/modules/operation/system/monitoring/alerts.yml'),
    'utf8',
  )
  const [, down = ''] = /alert: SwitchboardDown\n +expr: (.*)/.exec(alerts) ?? []
  expect(down).toContain(`up{job="${jobs[0]?.job_name}"} == 0`)
})

const composer = missingOf('docker-compose')

test.skipIf(composer !== null)(
  `docker-compose accepts the compose file${composer === null ? '' : ' (not tried: docker-compose not installed)'}`,
  () => {
    writeFileSync(join(folder, 'compose.yaml'), recipe('Docker', 'yaml', {}))
    for (const name of ['app_secret.txt', 'metrics_token.txt'])
      writeFileSync(join(folder, name), 'a secret of this test')
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      ['docker-compose', '-f', 'compose.yaml', 'config'],
      { cwd: folder },
    )
    expect({ exitCode, errors: stderr.toString() }).toEqual({ exitCode: 0, errors: '' })
    expect(stdout.toString()).toContain('127.0.0.1')
  },
)

test('the settings the guide names for a proxy exist', () => {
  const [text = ''] = recipesOf('Behind a proxy', 'sh')
  const lines = text.split('\n').filter((line) => /^[A-Z_]+=/.test(line))
  const env = Object.fromEntries(
    lines.map((line) => (line.split('#')[0] ?? '').trim().split('=') as [string, string]),
  )
  expect(settingsOf(env)).toMatchObject({ host: '127.0.0.1', baseUrl: 'https://chat.example.com' })
})
