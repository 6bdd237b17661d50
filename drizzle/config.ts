import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/{infra,modules}/**/*table.ts',
  out: './drizzle',
})
