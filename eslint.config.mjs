import tseslint from 'typescript-eslint';

const bareJsonParse = {
  selector: "CallExpression[callee.object.name='JSON'][callee.property.name='parse']",
  message: 'Use parseJson() of plans/protocol/json.ts: it returns the failure.',
};

export default tseslint.config(
  { ignores: ['dist/**', 'vitest.config.ts', 'node_modules/**', '**/*.mjs', '**/*.cjs', '.fermata/**'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', bareJsonParse],
    },
  },
  { files: ['plans/protocol/json.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['test/**', 'bench/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      'no-restricted-syntax': 'off',
    },
  },
);
