// What is typed into fields: every character of Unicode, selection, undo, wrapping, and who has the keyboard.
#include <fmt/core.h>

#include <random>
#include <span>

#include "app/actions/update.h"
#include "app/widgets/text_editor.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr Modifiers ctrl{.ctrl = true};
constexpr Modifiers shift{.shift = true};
constexpr const char* family = "👨‍👩‍👧";
constexpr const char* field = "input/x_q";
using Move = TextEditor::Move;

TextRows one_row(const TextEditor& editor) {
  return {
      {{0, editor.text().size()}}, [&editor](TextRow row) {
        std::vector<TextLetter> letters;
        for (std::size_t at = row.first; at < row.last; at = editor.next_cluster(at))
          letters.push_back({at, editor.next_cluster(at), static_cast<float>(at), static_cast<float>(at + 1), false});
        return letters;
      }};
}

void move(TextEditor& editor, Move where, bool select = false) {
  editor.move(where, select, one_row(editor));
}

const std::string& text_of(const Driver& driver) {
  return *driver.model().text_of("x_q");
}

// Puts a text into the field by the keyboard alone.
void write(Driver& driver, const std::string& text) {
  driver.click(field);
  driver.press(Key::a, ctrl);
  driver.type(text);
}

}  // namespace

TEST_CASE("the cursor moves by what a reader sees as one letter") {
  TextEditor editor(from_utf8(std::string("a") + family + "e\u0301🇩🇪ि"));
  std::vector<std::size_t> stops;
  for (std::size_t before = 1000; editor.cursor() != before;) {
    before = editor.cursor();
    stops.push_back(before);
    move(editor, Move::left);
  }
  CHECK(stops == std::vector<std::size_t>{11, 8, 6, 1, 0});
  move(editor, Move::right);
  move(editor, Move::right);
  CHECK(editor.cursor() == 6);
  editor.erase(false, false);  // a family goes as a whole
  CHECK(to_utf8(editor.text()) == "ae\u0301🇩🇪ि");
  move(editor, Move::right, true);
  CHECK(to_utf8(editor.selected()) == "e\u0301");
  move(editor, Move::text_end);
  move(editor, Move::text_start, true);
  CHECK(editor.selected() == editor.text());
}

TEST_CASE("words are moved over, selected and deleted") {
  TextEditor editor(U"the cat  sat");
  move(editor, Move::word_left);
  CHECK(editor.cursor() == 9);
  move(editor, Move::word_left);
  CHECK(editor.cursor() == 4);
  move(editor, Move::word_right, true);
  CHECK(editor.selected() == U"cat  ");
  editor.select_word(5);
  CHECK(editor.selected() == U"cat");
  editor.type('x');
  CHECK(editor.text() == U"the x  sat");
  editor.erase(false, true);
  CHECK(editor.text() == U"the   sat");
}

TEST_CASE("undo goes back word by word, deletions and pastes by themselves") {
  TextEditor editor(U"a");
  for (const char32_t c : std::u32string(U" red fox")) editor.type(c);
  editor.erase(false, false);
  editor.erase(false, false);
  editor.paste(U"line one\r\nline\ttwo\x07");
  CHECK(editor.text() == U"a red fline one line two");
  std::vector<std::u32string> back;
  while (editor.undo()) back.push_back(editor.text());
  CHECK(back == std::vector<std::u32string>{U"a red f", U"a red fox", U"a red", U"a"});
  while (editor.redo()) {
  }
  CHECK(editor.text() == U"a red fline one line two");
}

TEST_CASE("lines are broken at words, between ideographs, and in words that are too long") {
  const auto rows_of = [](const std::u32string& text, float width) {
    const TextEditor editor(text);
    std::vector<std::u32string> rows;
    for (const TextRow& row :
         wrapped_rows(editor, width, [](std::u32string_view part) { return static_cast<float>(part.size()); }))
      rows.push_back(text.substr(row.first, row.last - row.first));
    return rows;
  };
  using Rows = std::vector<std::u32string>;
  CHECK(rows_of(U"the cat sat on", 7) == Rows{U"the cat ", U"sat on"});
  CHECK(rows_of(U"the cat", 3) == Rows{U"the ", U"cat"});
  CHECK(rows_of(U"abcdefgh ij", 3) == Rows{U"abc", U"def", U"gh ", U"ij"});
  CHECK(rows_of(U"ab 漢字漢字", 5) == Rows{U"ab 漢字", U"漢字"});
  CHECK(rows_of(U"a\nb\n", 5) == Rows{U"a\n", U"b\n", U""});
  CHECK(rows_of(U"", 5) == Rows{U""});
}

TEST_CASE("any character of Unicode is typed, pasted and edited") {
  Driver driver;
  const std::string all = fmt::format("I 😀 love 🍕 and {} 漢字 हिन्दी العربية \U0010FFFF", family);
  write(driver, all);
  CHECK(text_of(driver) == all);
  driver.type("!");
  driver.press(Key::backspace);
  driver.press(Key::backspace);
  CHECK(text_of(driver) + "\U0010FFFF" == all);
  driver.press(Key::a, ctrl);
  driver.press(Key::c, ctrl);
  driver.press(Key::end);
  driver.press(Key::v, ctrl);
  CHECK(text_of(driver).size() == 2 * (all.size() - 4));
  driver.session().act(SetText{"x_q", "I 😀 " + std::string(family) + " 🍕", false});  // as from a file
  driver.settle();
  driver.click(field);
  driver.type("x");
  driver.press(Key::erase);
  CHECK(text_of(driver).find("x") != std::string::npos);
}

TEST_CASE("Escape gives up the field and keeps the text; Enter and Tab leave it too") {
  Driver driver;
  driver.click_at(driver.cell(1, 1));  // which shorter texts have too
  REQUIRE(driver.model().document.look.pinned);
  for (const Key key : {Key::escape, Key::enter, Key::tab}) {
    write(driver, "one two");
    REQUIRE(driver.widget(field).state == "focused");
    driver.press(key);
    CHECK(driver.widget(field).state == "");
    CHECK(text_of(driver) == "one two");
    CHECK(driver.model().document.look.pinned);  // the key was the field's
    driver.session().act(Undo{});
    driver.settle();
  }
}

TEST_CASE("undo inside the field is the window's, and shows at once") {
  Driver driver;
  const std::string first = text_of(driver);
  driver.click(field);
  driver.press(Key::end, ctrl);
  for (const char* letters : {" a", "n", "d", " dry"}) driver.type(letters);
  driver.press(Key::z, ctrl);
  CHECK(text_of(driver) == first + " and");
  CHECK(driver.widget(field).value == first + " and");
  driver.type("!");
  CHECK(text_of(driver) == first + " and!");
  driver.press(Key::z, ctrl);
  driver.press(Key::z, ctrl);
  CHECK(text_of(driver) == first);
  driver.press(Key::y, ctrl);
  CHECK(text_of(driver) == first + " and");
  CHECK(driver.widget(field).state == "focused");
}

TEST_CASE("shortcuts rest while a text is typed, but those with Ctrl") {
  Driver driver;
  driver.press(Key::escape);
  const auto look = driver.model().document.look;
  driver.click(field);
  for (const Key key : {Key::h, Key::m, Key::l, Key::n, Key::five, Key::left_bracket, Key::space, Key::home}) {
    send_key(key, true);
    send_text("x");
    driver.frame();
    send_key(key, false);
    driver.settle();
  }
  CHECK(driver.model().document.look == look);
  CHECK_FALSE(driver.model().playing);
  CHECK(text_of(driver).find("xx") != std::string::npos);
  driver.press(Key::o, ctrl);
  CHECK(driver.model().dialog == Dialog::open);
}

TEST_CASE("the pointer places the cursor, selects words and draws out a selection") {
  Driver driver;
  write(driver, "alpha beta gamma");
  const Rect box = driver.widget(field).rect;
  driver.press(Key::home);
  const Rect start = driver.widget(std::string(field) + "/cursor").rect;
  for (int i = 0; i < 8; ++i) driver.press(Key::right);
  const Rect in_beta = driver.widget(std::string(field) + "/cursor").rect;
  driver.press(Key::end);
  const app::Point beta{in_beta.x, in_beta.middle().y};
  driver.move_to(beta);
  for (int i = 0; i < 2; ++i) {
    send_mouse_button(0, true);
    send_mouse_button(0, false);
  }
  driver.empty_queue();
  driver.type("X");
  CHECK(text_of(driver) == "alpha X gamma");
  driver.move_to({start.x, start.middle().y});
  send_mouse_button(0, true);
  driver.frame();
  driver.move_to({box.right() - 5, start.middle().y});
  send_mouse_button(0, false);
  driver.empty_queue();
  driver.type("all");
  CHECK(text_of(driver) == "all");
}

TEST_CASE("keys go where they point in text of either direction") {
  constexpr const char* texts[] = {"ab שלום עולם, cd",
                                   "ab שָׁלוֹם 👨‍👩‍👧 cd",
                                   "the bank",
                                   "שלום עולם",
                                   "המודל GPT קורא את 42 המילים (ורק הוא) ואז עונה. The end",
                                   "the word سلام means peace, and שלום עולם means hello world"};
#ifdef HEADLIGHT_ADDRESS_SANITIZER
  constexpr std::size_t walked = 2, one_in = 40;  // of the places that are clicked on: ten times as slow there
#else
  constexpr std::size_t walked = std::size(texts), one_in = 1;
#endif
  struct Stop {
    float x, y;
    std::string at;
    bool operator==(const Stop&) const = default;
  };
  for (const char* text : std::span(texts).first(walked)) {
    Driver driver;
    write(driver, text);
    const auto stop = [&] {
      const auto cursor = driver.widget(std::string(field) + "/cursor");
      return Stop{cursor.rect.x, cursor.rect.y, cursor.value};
    };
    const auto walk = [&](Key key, Modifiers held) {
      std::vector<Stop> stops = {stop()};
      for (driver.press(key, held); !(stop() == stops.back()); driver.press(key, held)) {
        REQUIRE(stops.size() < 200);
        stops.push_back(stop());
      }
      return stops;
    };
    for (const Modifiers held : {Modifiers{}, ctrl}) {
      walk(Key::left, held);
      const auto there = walk(Key::right, held);
      auto back = walk(Key::left, held);
      std::ranges::reverse(back);
      INFO(text << (held.ctrl ? " by words" : ""));
      // In each row they go to the right.
      for (std::size_t i = 1; i < there.size(); ++i)
        if (there[i].y == there[i - 1].y) CHECK(there[i].x > there[i - 1].x);
      if (held.ctrl) continue;
      CHECK(there.size() >= TextEditor(from_utf8(text)).text().size() * 3 / 4 - 3);
      CHECK(back.size() == there.size());
      // A click there puts the cursor there.
      for (std::size_t i = 0; i < there.size(); i += one_in) {
        const Stop& at = there[i];
        driver.click("input/x_q/tokenizer");  // so that no two clicks are one double click
        driver.press(Key::escape);
        driver.click_at({at.x + 0.5F, at.y + 5});
        CHECK(stop().x == Approx(at.x).margin(1));
        CHECK(stop().y == at.y);
      }
    }
  }
}

TEST_CASE("letters are typed, selected and deleted in text from right to left where the cursor stands") {
  Driver driver;
  const auto cursor = [&] { return driver.widget(std::string(field) + "/cursor").rect; };
  write(driver, "ab");
  const float after_latin = cursor().x;
  driver.type(" ש");
  const float left_of_shin = cursor().x;
  CHECK(left_of_shin > after_latin);
  driver.type("ל");
  CHECK(cursor().x == Approx(left_of_shin).margin(1.5));  // what follows stands at the left, and so does the cursor
  write(driver, "שלום עולם");
  const Rect box = driver.widget(field).rect;
  driver.press(Key::home);
  CHECK(cursor().x > box.middle().x);  // a text from right to left begins at the right
  driver.press(Key::left);
  driver.press(Key::left, shift);
  driver.press(Key::left, shift);
  driver.type("x");
  CHECK(text_of(driver) == "שxם עולם");
  driver.press(Key::backspace);
  driver.press(Key::left);
  driver.press(Key::backspace);
  CHECK(text_of(driver) == "ש עולם");
  driver.press(Key::a, ctrl);
  driver.press(Key::left);  // to the left side of what is selected
  driver.type("ף");
  CHECK(text_of(driver) == "ש עולםף");
}

TEST_CASE("the field wraps at every size, live") {
  for (const float scale : {1.0F, 1.5F, 2.5F}) {
    Driver driver(1600 * scale, 1000 * scale, scale);
    write(driver,
          "the bank of the river in springtime, and a word so long that nofieldcouldeverholditononerowatanysize");
    driver.press(Key::home, ctrl);
    const Rect box = driver.widget(field).rect;
    for (int i = 0; i < 101; ++i) {
      send_key(Key::right, true);
      driver.frame();
      send_key(Key::right, false);
      driver.frame();
      const Rect cursor = driver.widget(std::string(field) + "/cursor").rect;
      INFO(scale << " " << i);
      CHECK(cursor.x >= box.x);
      CHECK(cursor.right() <= box.right());
      CHECK(cursor.y >= box.y);
      CHECK(cursor.bottom() <= box.bottom());
    }
  }
}

TEST_CASE("a thousand pastes, keys and clicks leave the text whole and undo leads back") {
  Driver driver;
  const std::string first = text_of(driver);
  std::mt19937 random(11);
  const auto any = [&](auto count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const auto any_text = [&] {
    constexpr std::pair<char32_t, char32_t> planes[] = {
        {0x20, 0x7E},       {0xA0, 0x24F},      {0x300, 0x36F},     {0x590, 0x6FF},      {0x900, 0x97F},
        {0x4E00, 0x9FFF},   {0x1F1E6, 0x1F1FF}, {0x1F300, 0x1F6FF}, {0x20000, 0x2A6DF},  {0x200B, 0x200F},
        {0xE0100, 0xE01EF}, {0x0, 0x1F},        {0xFFF0, 0xFFFF},   {0x10FFF0, 0x10FFFF}};
    std::u32string text;
    const int size = 1 + any(5);
    for (int i = 0; i < size; ++i) {
      const auto [low, high] = planes[any(std::size(planes))];
      text.push_back(static_cast<char32_t>(low + random() % (high - low + 1)));
    }
    return to_utf8(text);
  };
  constexpr Key keys[] = {Key::left, Key::right, Key::up,        Key::down,  Key::home,    Key::end,
                          Key::left, Key::right, Key::backspace, Key::erase, Key::page_up, Key::page_down};
#ifdef HEADLIGHT_ADDRESS_SANITIZER
  constexpr int events = 120;  // ten times as slow there
#else
  constexpr int events = 3000;
#endif
  driver.click(field);
  for (int i = 0; i < events; ++i) {
    switch (any(8)) {
      case 0:
      case 1:
        send_text(any_text());
        break;
      case 2: {
        set_clipboard(any(20) == 0 ? std::string("\xFF\xC3(\xE2\x82", 5) : any_text());
        send_modifiers(ctrl);
        send_key(any(3) == 0 ? Key::x : Key::v, true);
        send_modifiers({});
        break;
      }
      case 3: {
        const Rect box = driver.widget(field).rect;
        // Where there is a line however short the text has become when the click is taken.
        send_mouse(box.x + box.w * static_cast<float>(any(100)) / 100,
                   box.y + std::min(box.h, 40.0F) * static_cast<float>(any(100)) / 100);
        const int count = 1 + any(3);
        for (int c = 0; c < count; ++c) {
          send_mouse_button(0, true);
          send_mouse_button(0, false);
        }
        break;
      }
      case 4: {
        send_modifiers(ctrl);
        constexpr Key letters[] = {Key::a, Key::c, Key::z, Key::y};
        const Key key = letters[any(4)];
        send_key(key, true);
        send_key(key, false);
        send_modifiers({});
        break;
      }
      default: {
        send_modifiers({any(4) == 0, any(2) == 0, false});
        const Key key = keys[any(std::size(keys))];
        send_key(key, true);
        send_key(key, false);
        send_modifiers({});
      }
    }
    if (i % 300 == 299) {  // as many as the history surely holds
      driver.empty_queue();
      while (undo_name(driver.model().history) == "text") driver.session().act(Undo{});
      driver.settle();
      REQUIRE(text_of(driver) == first);
    }
    if (any(3) == 0) continue;  // several between two frames
    do driver.frame();
    while (driver.waiting());
    driver.frame();
    const std::string& now = text_of(driver);
    const std::u32string code_points = from_utf8(now);
    REQUIRE(to_utf8(code_points) == now);  // valid UTF-8
    REQUIRE(driver.widget(field).state == "focused");
    REQUIRE(driver.widget(field).value == now);
    const auto cursor = std::stoul(driver.widget(std::string(field) + "/cursor").value);
    REQUIRE(cursor <= code_points.size());
    REQUIRE(TextEditor(code_points).cluster_at(cursor) == cursor);
  }
}

TEST_CASE("undo of an editor by itself leads back to the first text") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::u32string first = U"one 👨‍👩‍👧 two";
    TextEditor editor(first);
    for (int i = 0; i < 60; ++i) {
      const auto where = static_cast<Move>(random() % 10);
      switch (random() % 5) {
        case 0:
          editor.type(static_cast<char32_t>(random() % 0x110000));
          break;
        case 1:
          editor.erase(random() % 2 == 0, random() % 2 == 0);
          break;
        case 2:
          editor.paste(std::u32string(random() % 4, static_cast<char32_t>(0x1F1E6 + random() % 20)));
          break;
        case 3:
          random() % 2 == 0 ? editor.select_word(random() % 30)
                            : editor.place({random() % 30, random() % 2 == 0}, random() % 2 == 0);
          break;
        default:
          move(editor, where, random() % 2 == 0);
      }
      REQUIRE(editor.cursor() <= editor.text().size());
      REQUIRE(editor.cluster_at(editor.cursor()) == editor.cursor());
      REQUIRE(editor.selection().last <= editor.text().size());
    }
    const std::u32string last = editor.text();
    while (editor.undo()) {
    }
    REQUIRE(editor.text() == first);
    while (editor.redo()) {
    }
    REQUIRE(editor.text() == last);
  }
}
