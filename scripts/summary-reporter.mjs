// Vitest reporter: writes counts and the reasons of skipped tests to the file that FERMATA_TEST_SUMMARY names.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const summary = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      if (module.errors().length > 0) summary.failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') summary.passed += 1;
        else if (result.state === 'failed') summary.failed += 1;
        else
          summary.skipped.push({
            name: `${module.relativeModuleId ?? module.moduleId}: ${test.fullName}`,
            why: result.note ?? '',
          });
      }
    }
    const file = process.env.FERMATA_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}
