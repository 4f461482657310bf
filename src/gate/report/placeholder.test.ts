// Further placeholders are in test-names.test.ts.
import { expect, test } from "vitest";
import { matchPlaceholders } from "../verdict/runs.js";

const ANY = ["suite > a test that is new"];

test.each([
  ["JavaScript", "test/cart.test.js"],
  ["JavaScript, a module", "test/cart.test.mjs"],
  ["JavaScript, not a module", "test/cart.test.cjs"],
  ["JavaScript with markup", "src/Cart.test.jsx"],
  ["TypeScript", "src/cart.test.ts"],
  ["TypeScript, a module", "src/cart.test.mts"],
  ["TypeScript, not a module", "src/cart.test.cts"],
  ["TypeScript with markup", "src/Cart.test.tsx"],
  ["Python", "tests/test_cart.py"],
  ["Ruby", "./spec/cart_spec.rb"],
  ["PHP", "tests/CartTest.php"],
  ["Go", "cart/cart_test.go"],
  ["Rust", "tests/cart.rs"],
  ["Java", "src/test/java/CartTest.java"],
  ["Kotlin", "src/test/kotlin/CartTest.kt"],
  ["C#", "Cart.Tests/CartTests.cs"],
  ["Elixir, compiled", "lib/cart.ex"],
  ["Elixir", "test/cart_test.exs"],
  ["Lua", "spec/cart_spec.lua"],
  ["Perl", "t/cart.pl"],
  ["Perl, a module", "t/lib/Cart.pm"],
  ["Perl, for prove", "t/01-cart.t"],
  ["shell", "test/cart.sh"],
  ["bats", "test/cart.bats"],
  ["Dart", "test/cart_test.dart"],
  ["Go, a package that does not build", "example.org/shop/cart > [build failed]"],
  ["Go, a package that cannot be set up", "example.org/shop/cart > [setup failed]"],
  ["JUnit, a class that cannot be made", "CartTest > initializationError"],
])("a failing case is the placeholder of a file: %s", (_, name) => {
  expect(matchPlaceholders(ANY)({ name, failed: true })).toBe(true);
});

test.each([
  ["it passed", "tests/test_cart.py", false],
  ["a file without code", "docs/cart.md", true],
  ["settings", "cart.test.json", true],
  ["output of a compiler", "tests/test_cart.pyc", true],
  ["a Python stub", "tests/test_cart.pyi", true],
  ["a Perl page", "t/cart.pod", true],
  ["a PHP archive", "t/cart.phar", true],
  ["a snapshot of a test", "test/cart.test.ts.snap", true],
  ["a sentence about a file", "reads cart.js", true],
  ["a test in a file", "test/cart.test.js > adds", true],
  ["a test of failures", "shows [build failed]", true],
  ["a longer word", "initializationErrors", true],
])("a case is not a placeholder: %s", (_, name, failed) => {
  expect(matchPlaceholders(ANY)({ name, failed })).toBe(false);
});

test.each([
  ["a suite", "cart", "cart > adds", true],
  ["a suite in a suite", "cart > prices", "cart > prices > adds", true],
  ["a module of classes", "pytest > tests.test_cart", "pytest > tests.test_cart.TestPrices > adds", true],
  ["a package of modules", "pytest > tests", "pytest > tests.test_cart.TestPrices > adds", true],
  ["half a word", "pytest > tests.test_cart.Test", "pytest > tests.test_cart.TestPrices > adds", false],
  ["the test itself", "cart > adds", "cart > adds", false],
  ["a part of the test's own name", "cart > v1", "cart > v1.2 adds", false],
  ["a part of the name of a suite around it", "shop.cart", "shop.cart.x > prices > adds", true],
  ["a part across two suites", "shop > a", "shop > b > a.c > adds", false],
])("a case is a placeholder if it names a group of the new tests: %s", (_, gone, added, stands) => {
  expect(matchPlaceholders(["other", added])({ name: gone, failed: false })).toBe(stands);
});
